import DBus
import DictationInterface

/// What the service is able to do.
public struct ServiceInformation: Hashable, Sendable {
    /// Of its interface.
    public var version: UInt32
    public var engines: [Engine]
    /// BCP 47 tags that some engine knows.
    public var languages: [String]

    init(version: Value, engines: Value, languages: Value) {
        self.version = UInt32(version) ?? 0
        let list = if case .array(let elements, _) = engines { elements } else { [Value]() }
        self.engines = list.compactMap(Engine.init)
        self.languages = [String](languages) ?? []
    }

    /// Something that recognises speech.
    public struct Engine: Hashable, Sendable {
        public var name: String
        public var languages: [String]
        public var isAvailable: Bool
        /// Sound stays on this machine.
        public var isLocal: Bool
        /// The program behind it and its version; nil where that is the service itself, or not known.
        public var program: String?
        /// Seconds that its last answer took; nil where it gives text while people speak, or gave none yet.
        public var answer: Double?
        /// Where it is not available: what to install.
        public var message: String?

        init?(_ value: Value) {
            guard case .structure(let fields) = value, fields.count == 2, let name = String(fields[0]),
                let details = [BusText: Value](fields[1])
            else { return nil }
            self.name = name
            languages = details.value(EngineKey.languages) ?? []
            isAvailable = details.value(EngineKey.available) ?? false
            isLocal = details.value(EngineKey.local) ?? true
            program = details.value(EngineKey.program)
            answer = details.value(EngineKey.answer)
            message = details.value(EngineKey.message)
        }
    }
}
