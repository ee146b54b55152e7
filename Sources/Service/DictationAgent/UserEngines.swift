import DBus
import DictationCore
import DictationInterface
import EventLoop
import Glibc
import Logging
import Wyoming

/// The speech engines in the user's configuration: sends them to the service, and opens connections to them.
@EventLoopActor
final class UserEngines {
    let sender: LatestValueSender<EnginePreferences>
    /// As the configuration said last when it was valid.
    private var preferences = EnginePreferences()
    private let file: String
    private let logger: Logger

    /// - Parameters:
    ///   - file: the path of the user's configuration file.
    ///   - path: of the agent.
    init(in file: String, for manager: DictationAgentManagerProxy, path: ObjectPath, logger: Logger) {
        self.file = file
        self.logger = logger
        sender = LatestValueSender("the speech engines", logger: logger) { preferences in
            let details = preferences.engines.map { (BusText($0.name), $0.details) }
            try await manager.setEngines(
                path: path, preference: preferences.preference.map { BusText($0) },
                engines: Dictionary(uniqueKeysWithValues: details))
        }
    }

    /// - Parameter text: of the file.
    func update(_ text: Result<String, EventLoopError>) {
        do {
            preferences = try EnginePreferences(yaml: text.get())
        } catch {
            // The engines stay as they were.
            logger.error("the engines in \(file) cannot be used", metadata: ["why": "\(error)"])
        }
        sender.update(preferences)
    }

    /// A new connection to an engine, checked to be the user's own or root's.
    func connect(to name: BusText) async throws -> Descriptor {
        guard let engine = preferences.engines.first(where: { BusText($0.name) == name }) else {
            throw EngineFailure(.unreachable, "The user's configuration has no such engine.")
        }
        return try await OwnThread.run("engine") { () -> Result<Descriptor, EngineFailure> in
            Result { () throws(EngineFailure) in
                try EngineSocket.connect(to: engine.address, uid: getuid())
            }
        }.get()
    }
}

extension EngineConfiguration {
    /// The details for SetEngines.
    fileprivate var details: [BusText: Value] {
        [
            LentEngineKey.local: .bool(address.isLocal), LentEngineKey.wait: .bool(fallback == .wait),
            LentEngineKey.punctuates: .bool(punctuates),
        ]
    }
}
