import DictationInterface
public import DictationTestKit

/// A bus that starts the service when it is called, and the service's audio server.
public final class ActivatingBus: Sendable {
    public let audio: PrivatePipeWire
    public let bus: PrivateBus
    /// Holds the configuration, which every start of the service reads.
    private let folder: TemporaryDirectory

    /// - Parameters:
    ///   - configuration: what the configuration holds besides permission for everyone.
    ///   - arguments: further arguments of the service.
    public init(_ configuration: String = tones, arguments: [String] = []) async throws {
        folder = try TemporaryDirectory()
        let file = try folder.write(configuration + "permissions:\n  allow: [\"*\"]\n", to: "dictation.yaml")
        let command = [executable("dictationd"), "--config", file] + arguments
        try folder.write(
            """
            [D-BUS Service]
            Name=\(DictationInterface.busName)
            Exec=\(command.joined(separator: " "))
            """, to: "org.example.Dictation.service")
        audio = try await PrivatePipeWire()
        bus = try await PrivateBus(
            configuration: "<servicedir>\(folder.path)</servicedir>", environment: audio.environment)
    }

    /// Ends both, and with the bus the service.
    public func end() async throws {
        try await bus.kill()
        try await audio.kill()
    }
}
