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
        /// Where it is not available: what to install.
        public var message: String?

        init?(_ value: Value) {
            guard case .structure(let fields) = value, fields.count == 2, let name = String(fields[0]),
                let details = [BusText: Value](fields[1])
            else { return nil }
            self.name = name
            languages = details.value(EngineKey.languages) ?? []
            isAvailable = details.value(EngineKey.available) ?? false
            message = details.value(EngineKey.message)
        }
    }
}
