import Desktop
import EventLoop
import Logging

/// Reads the configuration again whenever one of its files has changed. A file is not watched if its folder was not there
/// at the start.
final class ConfigurationWatch: Sendable {
    private enum Reading { case none, running, runningAndOutdated }

    private let loader: ConfigurationLoader
    private let loop: EventLoop
    private let logger: Logger
    private let changed: @Sendable (Configuration) -> Void
    private let watches = Lock<[FileWatch]>([])
    private let reading = Lock(Reading.none)

    /// - Parameter changed: called on the loop. An invalid configuration is logged, and not told here.
    init(
        _ loader: ConfigurationLoader, on loop: EventLoop, logger: Logger,
        changed: @escaping @Sendable (Configuration) -> Void
    ) {
        self.loader = loader
        self.loop = loop
        self.logger = logger
        self.changed = changed
    }

    func start() {
        for file in loader.files {
            do throws(EventLoopError) {
                let watch = try FileWatch(file, for: .changed, on: loop) { [weak self] in self?.reload() }
                try watch.start()
                watches.withLock { $0.append(watch) }
            } catch {
                logger.debug("a configuration file is not watched", metadata: ["why": "\(error)"])
            }
        }
    }

    func stop() {
        for watch in watches.withLock({ $0 }) { watch.stop() }
    }

    /// Files are read on a thread of their own, one at a time: a file system may not answer.
    private func reload() {
        let isRunning = reading.withLock { reading in
            defer { reading = reading == .none ? .running : .runningAndOutdated }
            return reading != .none
        }
        guard !isRunning else { return }
        do throws(EventLoopError) {
            try OwnThread.start("configuration") { [self] in read() }
        } catch {
            reading.withLock { $0 = .none }
            logger.error("the configuration was not read again", metadata: ["why": "\(error)"])
        }
    }

    private func read() {
        while true {
            do throws(ConfigurationError) {
                let configuration = try loader.load()
                loop.execute { [changed] in changed(configuration) }
            } catch {
                logger.error("the configuration was not read again", metadata: ["why": "\(error)"])
            }
            let isOutdated = reading.withLock { reading in
                defer { reading = reading == .running ? .none : .running }
                return reading == .runningAndOutdated
            }
            if !isOutdated { return }
        }
    }
}
