import DBus
import DictationCore
import DictationInterface
import Wyoming

/// The engines of a user's configuration, from the user's agent (SetEngines).
struct EngineOffer: Hashable, Sendable {
    struct Engine: Hashable, Sendable {
        var name: String
        var isLocal: Bool
        var fallback: EngineFallback
        var punctuates: Bool
    }

    /// Names in order of preference; if empty, the service chooses.
    var preference: [String] = []
    /// In the order of ``preference``, then by name.
    var engines: [Engine] = []

    init() {}

    /// - Parameter mayBeRemote: whether the administrator allows audio to leave the machine.
    init(
        preference: [BusText], engines: [BusText: [BusText: Value]], mayBeRemote: Bool
    ) throws(Refusal) {
        let limit = EngineConfiguration.countLimit
        guard preference.count <= limit, engines.count <= limit else {
            throw Refusal(.invalidArguments, "A user may have at most \(limit) engines.")
        }
        for name in preference {
            let name = try name.limited(to: .tag, "The name of an engine")
            guard EngineConfiguration.isName(name) else { throw Self.invalid }
            self.preference.append(name)
        }
        for (name, details) in engines {
            let name = try name.limited(to: .tag, "The name of an engine")
            guard EngineConfiguration.isName(name), !EngineConfiguration.reservedNames.contains(name) else {
                throw Self.invalid
            }
            let details = OptionReader(options: details)
            let isLocal = try details.bool(LentEngineKey.local) ?? true
            guard isLocal || mayBeRemote else {
                throw Refusal(
                    .accessDenied,
                    "The engine '\(name)' is on another machine: the administrator must set 'allow-remote-engines'."
                )
            }
            self.engines.append(
                Engine(
                    name: name, isLocal: isLocal,
                    fallback: try details.bool(LentEngineKey.wait) ?? false ? .wait : .preview,
                    punctuates: try details.bool(LentEngineKey.punctuates) ?? true))
        }
        let order = self.preference
        func rank(_ engine: Engine) -> Int { order.firstIndex(of: engine.name) ?? limit }
        self.engines.sort { (rank($0), $0.name) < (rank($1), $1.name) }
    }

    private static let invalid = Refusal(
        .invalidArguments,
        "The name of an engine has 1 to 32 lower-case letters, digits and hyphens, and is not that of an engine of the service."
    )
}
