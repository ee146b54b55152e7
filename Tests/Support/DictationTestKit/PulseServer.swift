import Foundation

/// pipewire-pulse on a private PipeWire, which serves PulseAudio's programs, such as most browsers and conference
/// programs. Ends with this object.
public final class PulseServer: Sendable {
    private let server: ChildProcess
    private let environment: [String: String]

    /// Returns when it is ready.
    public init(on pipewire: PrivatePipeWire) async throws {
        environment = pipewire.environment.merging([
            "PULSE_SERVER": "unix:\(pipewire.directory.path(of: "pulse/native"))"
        ]) { $1 }
        try pipewire.directory.write(Self.configuration, to: "pulse.conf")
        server = try ChildProcess(
            ["pipewire-pulse", "-c", pipewire.directory.path(of: "pulse.conf")], environment: environment)
        try await eventually("pipewire-pulse serves") {
            guard server.isRunning else {
                throw TestFailure("pipewire-pulse ended: \(server.text(of: .errors))")
            }
            return try await ChildProcess.run(["pactl", "info"], environment: environment).status
                == .exited(0)
        }
    }

    /// PulseAudio's recorder, until it is ended.
    /// - Parameter properties: in PulseAudio's format: `media.role=phone`.
    public func record(_ properties: [String: String]) throws -> ChildProcess {
        try ChildProcess(
            ["parecord", "--raw"] + properties.map { "--property=\($0)=\($1)" } + ["/dev/null"],
            environment: environment)
    }

    private static let configuration = """
        context.properties = { support.dbus = false, mem.allow-mlock = false, log.level = 1 }
        context.spa-libs = {
            audio.convert.* = audioconvert/libspa-audioconvert
            support.* = support/libspa-support
        }
        context.modules = [
            { name = libpipewire-module-protocol-native }
            { name = libpipewire-module-client-node }
            { name = libpipewire-module-adapter }
            { name = libpipewire-module-metadata }
            { name = libpipewire-module-protocol-pulse }
        ]
        pulse.properties = { server.address = [ "unix:native" ] }
        """
}
