import Desktop
package import EventLoop
package import Logging

/// Reads the settings again on a thread after their files have changed. A file is watched only if its folder exists at the
/// start.
@EventLoopActor
package final class ConfigurationWatch {
    private enum Reading { case none, running, runningAndOutdated }

    private let loader: ConfigurationLoader
    private let watches: [FileWatch]
    private let logger: Logger
    private var changed: @EventLoopActor (Configuration) -> Void = { _ in }
    private var delay: EventLoop.Timer?
    private var reading = Reading.none

    /// The time from a change to reading: some editors remove or empty a file before they write it.
    private let settling = Duration.milliseconds(200)

    /// Watches from now on, so that no change is missed if the settings are loaded after this. The folder of the user's file is
    /// made if it does not exist.
    package nonisolated init(_ loader: ConfigurationLoader, logger: Logger) {
        self.loader = loader
        self.logger = logger
        watches = loader.files.compactMap { file in
            do throws(EventLoopError) {
                return try FileWatch(file, for: .changed, makesFolder: file == loader.userFile)
            } catch {
                logger.debug("a configuration file is not watched", metadata: ["why": "\(error)"])
                return nil
            }
        }
    }

    /// - Parameter changed: called with the new settings after each change since the initializer. Settings with an error are
    ///   logged and not used.
    package func start(changed: @escaping @EventLoopActor (Configuration) -> Void) {
        self.changed = changed
        for watch in watches {
            do throws(EventLoopError) {
                try watch.start { [weak self] in self?.readLater() }
            } catch {
                logger.error("a configuration file is not watched", metadata: ["why": "\(error)"])
            }
        }
    }

    package func stop() {
        for watch in watches { watch.stop() }
        delay.take()?.cancel()
        changed = { _ in }
    }

    private func readLater() {
        guard delay == nil else { return }
        delay = EventLoopActor.schedule(after: settling) { [weak self] in
            self?.delay = nil
            self?.read()
        }
    }

    /// One reading is in progress at a time.
    private func read() {
        guard reading == .none else { return reading = .runningAndOutdated }
        reading = .running
        Task {
            do {
                let settings = try await OwnThread.run("configuration") { [loader] in
                    loader.isBeingWritten ? nil : Result { try loader.load() }
                }
                if let settings { changed(try settings.get()) } else { readLater() }
            } catch {
                logger.error("the configuration was not read again", metadata: ["why": "\(error)"])
            }
            let isOutdated = reading == .runningAndOutdated
            reading = .none
            if isOutdated { read() }
        }
    }
}
