public import DictationCore
public import Yams

/// The configuration of an engine in another process.
public struct EngineConfiguration: Hashable, Sendable {
    /// 1 to 32 lower-case letters, digits and hyphens.
    public var name: String
    public var address: WyomingAddress
    public var fallback = EngineFallback.preview
    /// Whether it writes capitals and punctuation itself. Whisper and Parakeet do, Vosk does not.
    public var punctuates = true

    /// Maximum number of engines in a configuration, and of names in an order of preference.
    public static let countLimit = 16

    public init(name: String, address: WyomingAddress, fallback: EngineFallback = .preview) {
        self.name = name
        self.address = address
        self.fallback = fallback
    }

    /// Names of the service's own engines.
    public static let reservedNames: Set<String> = ["pocketsphinx", "scripted", "none"]

    /// Whether an engine may have this name.
    public static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
    }
}

// MARK: - YAML

extension EngineConfiguration {
    /// Reads a list of `{name, wyoming, fallback, punctuates}`.
    public static func list(_ node: Node) throws(EngineConfigurationError) -> [EngineConfiguration] {
        guard let sequence = node.sequence, sequence.count <= countLimit else {
            throw EngineConfigurationError(node, "'engines' must be a list of at most \(countLimit) engines")
        }
        var engines: [EngineConfiguration] = []
        for node in sequence {
            let engine = try EngineConfiguration(node)
            if engines.contains(where: { $0.name == engine.name }) {
                throw EngineConfigurationError(node, "there are two engines '\(engine.name)'")
            }
            engines.append(engine)
        }
        return engines
    }

    private init(_ node: Node) throws(EngineConfigurationError) {
        guard let mapping = node.mapping else {
            throw EngineConfigurationError(node, "'engines' must be a list of mappings")
        }
        for (key, _) in mapping where !["name", "wyoming", "fallback", "punctuates"].contains(key.string) {
            throw EngineConfigurationError(
                key, "an engine has 'name', 'wyoming', 'fallback' and 'punctuates', not '\(key.string ?? "")'"
            )
        }
        let name = mapping["name"]?.string ?? ""
        guard Self.isName(name), !Self.reservedNames.contains(name) else {
            throw EngineConfigurationError(
                mapping["name"] ?? node,
                "'name' must be lower-case letters, digits and hyphens, and not the name of a built-in engine"
            )
        }
        guard let address = WyomingAddress(mapping["wyoming"]?.string ?? "") else {
            throw EngineConfigurationError(
                mapping["wyoming"] ?? node,
                "'wyoming' must be an address such as unix:/run/engine.sock or tcp://127.0.0.1:10300")
        }
        guard let fallback = EngineFallback(rawValue: mapping["fallback"]?.string ?? "preview") else {
            throw EngineConfigurationError(
                mapping["fallback"] ?? node, "'fallback' must be 'preview' or 'wait'")
        }
        self.init(name: name, address: address, fallback: fallback)
        if let node = mapping["punctuates"] {
            guard let punctuates = node.bool else {
                throw EngineConfigurationError(node, "'punctuates' must be true or false")
            }
            self.punctuates = punctuates
        }
    }
}

/// An error in the configuration of engines.
public struct EngineConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1; nil for the whole file.
    public var line: Int?
    public var message: String

    init(_ node: Node?, _ message: String) {
        line = node?.mark?.line
        self.message = message
    }

    public var description: String { line.map { "line \($0): \(message)" } ?? message }
}
