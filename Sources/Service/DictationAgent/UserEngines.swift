import DBus
import DictationConfiguration
import DictationCore
import DictationInterface
import EventLoop
import Glibc
import Logging
import Wyoming

/// The speech engines in the user's configuration: sends them to the service, and opens connections to them.
@EventLoopActor
final class UserEngines {
    private struct Offer: Equatable {
        /// Names of engines in order of preference; empty if the file names none.
        var preference: [String] = []
        var engines: [EngineConfiguration] = []
    }

    private let sender: LatestValueSender<Offer>
    private var offer = Offer()

    /// - Parameter path: of the agent.
    init(for manager: DictationAgentManagerProxy, path: ObjectPath, logger: Logger) {
        sender = LatestValueSender("the speech engines", logger: logger) { offer in
            let details = offer.engines.map { (BusText($0.name), $0.details) }
            try await manager.setEngines(
                path: path, preference: offer.preference.map { BusText($0) },
                engines: Dictionary(uniqueKeysWithValues: details))
        }
    }

    func update(_ file: ConfigurationReading) {
        // Without its engines, an order of preference would make every Start fail.
        let hasEngines = !file.failedNames.contains("engines") || file.names.contains("engines")
        offer = Offer(
            preference: hasEngines && file.names.contains("engine") ? file.configuration.engine : [],
            engines: file.configuration.engines)
        sender.update(offer)
    }

    func registrationChanged(_ isRegistered: Bool) { sender.registrationChanged(isRegistered) }

    /// A new connection to an engine, checked to be the user's own or root's.
    func connect(to name: BusText) async throws -> Descriptor {
        guard let engine = offer.engines.first(where: { BusText($0.name) == name }) else {
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
