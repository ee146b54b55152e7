public import DictationCore
public import Wyoming

/// The configuration of an engine outside the process.
public struct EngineConfiguration: Hashable, Sendable {
    /// Lower-case letters, digits and hyphens; at most 32.
    public var name: String
    public var address: WyomingAddress
    public var fallback = EngineFallback.preview
    /// Whether its text has capitals and marks. Whisper's and Parakeet's has, Vosk's does not.
    public var punctuates = true

    public init(name: String, address: WyomingAddress, fallback: EngineFallback = .preview) {
        self.name = name
        self.address = address
        self.fallback = fallback
    }

    /// Names of engines that are part of the service.
    static let reservedNames: Set<String> = ["pocketsphinx", "scripted", "none"]

    static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
    }
}
