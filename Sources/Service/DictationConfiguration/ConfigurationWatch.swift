import Desktop
package import EventLoop
package import Logging

/// Reads configuration files on a thread after they have changed. A file is watched only if its folder existed at the start.
@EventLoopActor
package final class ConfigurationWatch<Contents: Sendable> {
    private enum Reading { case none, running, runningAndOutdated }

    private let files: [String]
    private let userFile: String?
    private let logger: Logger
    private let contents: @Sendable () throws -> Contents
    private let changed: @EventLoopActor (Result<Contents, any Error>) -> Void
    private var watches: [FileWatch] = []
    private var delay: EventLoop.Timer?
    private var reading = Reading.none

    /// The time from a change to reading: some editors remove or empty a file before they write it.
    private let settling = Duration.milliseconds(200)

    /// - Parameters:
    ///   - userFile: the file of these whose folder is made if it does not exist.
    ///   - contents: reads the files; called on a thread, because a file system can block.
    ///   - changed: called with the new contents or why they cannot be read.
    package nonisolated init(
        _ files: [String], userFile: String?, logger: Logger,
        contents: @escaping @Sendable () throws -> Contents,
        changed: @escaping @EventLoopActor (Result<Contents, any Error>) -> Void
    ) {
        self.files = files
        self.userFile = userFile
        self.logger = logger
        self.contents = contents
        self.changed = changed
    }

    /// - Parameter readsNow: whether to read the files also at the beginning.
    package func start(readsNow: Bool = false) {
        for file in files {
            do throws(EventLoopError) {
                let watch = try FileWatch(file, for: .changed, makesFolder: file == userFile) { [weak self] in
                    self?.readLater()
                }
                try watch.start()
                watches.append(watch)
            } catch {
                logger.debug("a configuration file is not watched", metadata: ["why": "\(error)"])
            }
        }
        if readsNow { read() }
    }

    package func stop() {
        for watch in watches { watch.stop() }
        delay.take()?.cancel()
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
            let result: Result<Contents, any Error>
            do {
                result = try await OwnThread.run("configuration") { [contents] in Result { try contents() } }
            } catch {
                result = .failure(error)
            }
            let isOutdated = reading == .runningAndOutdated
            reading = .none
            changed(result)
            if isOutdated { read() }
        }
    }
}
