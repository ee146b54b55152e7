import DBus
import DictationInterface

/// The service's version, engines and languages.
public struct ServiceInformation: Hashable, Sendable {
    /// The version of its interface.
    public var version: UInt32
    public var engines: [Engine]
    /// BCP 47 tags of all engines.
    public var languages: [String]

    init(version: Value, engines: Value, languages: Value) {
        self.version = UInt32(version) ?? 0
        let list = if case .array(let elements, _) = engines { elements } else { [Value]() }
        self.engines = list.compactMap(Engine.init)
        self.languages = [String](languages) ?? []
    }

    /// What is wrong with the preferred engine, and which engine gives the text meanwhile; nil if all is well.
    public var engineProblem: String? {
        guard let engine = engines.first(where: { $0.isPreferred && !$0.isAvailable }) else { return nil }
        let other = engines.first { $0.isAvailable }
        return "The engine \(engine.name) does not answer"
            + (other.map { ": \($0.name) is used until it is back." } ?? ".")
    }

    /// A speech recognition engine.
    public struct Engine: Hashable, Sendable {
        public var name: String
        public var languages: [String]
        public var isAvailable: Bool
        /// Whether audio stays on this machine.
        public var isLocal: Bool
        /// Its program and version; nil if it is the service itself, or unknown.
        public var program: String?
        /// Whether it gives text during speech; if not, another engine does.
        public var isLive: Bool
        /// Seconds of its last answer; nil if it has not answered yet, or is the service itself.
        public var answer: Double?
        /// If it is not available: what to install.
        public var message: String?
        /// Whether sessions use it that name no engine. While it is not available, another one gives the text.
        public var isPreferred: Bool

        init?(_ value: Value) {
            guard case .structure(let fields) = value, fields.count == 2, let name = String(fields[0]),
                let entries = [BusText: Value](fields[1])
            else { return nil }
            let details = EngineDetails(entries)
            self.name = name
            languages = details.languages ?? []
            isAvailable = details.available ?? false
            isLocal = details.local ?? true
            program = details.program
            isLive = details.live ?? false
            answer = details.answer
            message = details.message
            isPreferred = details.preferred ?? false
        }
    }
}
