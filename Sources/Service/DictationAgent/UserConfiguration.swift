import Desktop
import EventLoop
import Logging

/// The text of the user's configuration file, read now and after every change.
@EventLoopActor
final class UserConfiguration {
    private enum Reading { case none, running, runningAndOutdated }

    /// Nil if the user has no home.
    let path: String?
    private let logger: Logger
    private var watch: FileWatch?
    private var reading = Reading.none
    private var changed: @EventLoopActor (Result<String, EventLoopError>) -> Void = { _ in }

    init(environment: [String: String], logger: Logger) {
        path = Self.folder(environment).map { $0 + "/dictation/dictation.yaml" }
        self.logger = logger
    }

    /// The folder of the XDG Base Directory Specification.
    private static func folder(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder }
        return environment["HOME"].map { $0 + "/.config" }
    }

    /// - Parameter changed: called with the text, now and after every change; with an empty text if there is no file.
    func start(_ changed: @escaping @EventLoopActor (Result<String, EventLoopError>) -> Void) {
        self.changed = changed
        guard let path else { return changed(.success("")) }
        do throws(EventLoopError) {
            let watch = try FileWatch(path, for: .changed, makesFolder: true) { [weak self] in
                self?.read()
            }
            try watch.start()
            self.watch = watch
        } catch {
            logger.info("the user's configuration is not watched", metadata: ["why": "\(error)"])
        }
        read()
    }

    func stop() {
        watch.take()?.stop()
        changed = { _ in }
    }

    /// Reads on its own thread, once at a time, because a file system can block.
    private func read() {
        guard let path else { return }
        guard reading == .none else { return reading = .runningAndOutdated }
        reading = .running
        Task {
            let result: Result<String, EventLoopError>
            do throws(EventLoopError) {
                result = try await OwnThread.run("configuration") {
                    Result { () throws(EventLoopError) in try TextFile.read(path) ?? "" }
                }
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
