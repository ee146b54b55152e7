import Desktop
import EventLoop
import Logging

/// Reads the configuration again when one of its files has changed. A file is watched only if its folder existed at the
/// start.
@EventLoopActor
final class ConfigurationWatch {
    private enum Reading { case none, running, runningAndOutdated }

    private let loader: ConfigurationLoader
    private let logger: Logger
    private let changed: @EventLoopActor (Configuration) -> Void
    private var watches: [FileWatch] = []
    private var reading = Reading.none

    /// - Parameter changed: called with the new configuration. An invalid configuration is only logged.
    nonisolated init(
        _ loader: ConfigurationLoader, logger: Logger,
        changed: @escaping @EventLoopActor (Configuration) -> Void
    ) {
        self.loader = loader
        self.logger = logger
        self.changed = changed
    }

    func start() {
        for file in loader.files {
            do throws(EventLoopError) {
                let watch = try FileWatch(
                    file, for: .changed, makesFolder: file == loader.userFile
                ) { [weak self] in self?.reload() }
                try watch.start()
                watches.append(watch)
            } catch {
                logger.debug("a configuration file is not watched", metadata: ["why": "\(error)"])
            }
        }
    }

    func stop() {
        for watch in watches { watch.stop() }
    }

    /// Files are read on their own thread, one at a time, because a file system can block.
    private func reload() {
        guard reading == .none else { return reading = .runningAndOutdated }
        do throws(EventLoopError) {
            try OwnThread.start("configuration") { [loader] in
                let result = Result { () throws(ConfigurationError) in try loader.load() }
                EventLoopActor.execute { self.take(result) }
            }
            reading = .running
        } catch {
            logger.error("the configuration was not read again", metadata: ["why": "\(error)"])
        }
    }

    private func take(_ result: Result<Configuration, ConfigurationError>) {
        let isOutdated = reading == .runningAndOutdated
        reading = .none
        do throws(ConfigurationError) {
            changed(try result.get())
        } catch {
            logger.error("the configuration was not read again", metadata: ["why": "\(error)"])
        }
        if isOutdated { reload() }
    }
}
