import DictationConfiguration
import EventLoop
import Logging

/// The user's configuration file, read now and after every change. A key with an error is logged, and keeps its last value.
@EventLoopActor
final class UserConfiguration {
    /// Nil if the user has no home.
    private let path: String?
    private let logger: Logger
    private var watch: ConfigurationWatch<ConfigurationReading>?
    private var last = ConfigurationReading()

    /// Maximum number of errors of a file that are logged.
    private static let errorLimit = 8

    init(environment: [String: String], logger: Logger) {
        path = ConfigurationLoader.userDefault(environment)
        self.logger = logger
    }

    /// - Parameter changed: called with what the file says, now and after every change; also if there is no file or it
    ///   cannot be read, because the service waits for the settings of a new agent.
    func start(_ changed: @escaping @EventLoopActor (ConfigurationReading) -> Void) {
        guard let path else { return changed(last) }
        watch = ConfigurationWatch([path], userFile: path, logger: logger) {
            try ConfigurationFile(path: path, mayDecideForAll: false).read(TextFile.read(path) ?? "")
        } changed: { [weak self] result in
            guard let self else { return }
            take(result)
            changed(last)
        }
        watch?.start(readsNow: true)
    }

    func stop() {
        watch.take()?.stop()
    }

    private func take(_ result: Result<ConfigurationReading, any Error>) {
        do {
            var file = try result.get()
            for error in file.errors.prefix(Self.errorLimit) {
                logger.error("a setting is not used", metadata: ["why": "\(error)"])
            }
            file.keepFailedKeys(of: last)
            last = file
        } catch {
            logger.error("the user's configuration is not used", metadata: ["why": "\(error)"])
        }
    }
}
