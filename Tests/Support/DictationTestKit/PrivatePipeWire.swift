public import EventLoop
import Foundation
import Glibc

/// A private PipeWire server in a temporary folder. Ends with this object.
public final class PrivatePipeWire: Sendable {
    /// Its folder: the `XDG_RUNTIME_DIR` of its clients.
    public let directory: TemporaryDirectory
    private let hasSessionManager: Bool
    /// Its user; nil for this process's own.
    private let user: TestUser?
    private let running = Lock<Running>(Running())

    private struct Running {
        var server: ChildProcess?
        var sessionManager: ChildProcess?
    }

    /// Starts the server and a session manager (WirePlumber). Without a session manager nothing is linked automatically
    /// and there are no defaults. Returns when both are ready.
    /// - Parameters:
    ///   - isRealTime: with real-time priority, as on a desktop. Not for microphones faster than real time.
    ///   - user: the user it runs as. Only that user and root can enter its folder.
    public init(
        sessionManager: Bool = true, isRealTime: Bool = false, as user: TestUser? = nil
    ) async throws {
        directory = try TemporaryDirectory()
        hasSessionManager = sessionManager
        self.user = user
        try directory.write(PipeWireConfiguration.server(isRealTime: isRealTime), to: "pipewire.conf")
        let manager = WirePlumberConfiguration.installed
        for (path, text) in manager.files { try directory.write(text, to: "wireplumber/\(path)") }
        for (path, original) in manager.copies {
            try FileManager.default.copyItem(
                atPath: original, toPath: directory.path(of: "wireplumber/\(path)"))
        }
        try user?.own(directory)
        try await start()
    }

    /// A command as the server's user runs it.
    public func command(_ words: [String]) -> [String] { user?.command(words) ?? words }

    /// The whole environment of programs that use this server.
    public var environment: [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path, "LC_ALL": "C.UTF-8",
        ]
    }

    /// The path of the server's socket.
    public var socket: String { directory.path(of: "pipewire-0") }

    public var server: ChildProcess? { running.withLock { $0.server } }
    public var sessionManager: ChildProcess? { running.withLock { $0.sessionManager } }

    /// A new connection to the server.
    public func connect() throws -> Descriptor {
        try UnixSocket.connect(to: socket)
    }
}

// MARK: - Lifetime

extension PrivatePipeWire {
    /// Starts what is not running. The socket has the same path as before.
    public func start() async throws {
        try await startServer()
        if hasSessionManager && sessionManager == nil { try await startSessionManager() }
    }

    /// Starts the server alone. Returns when it listens.
    public func startServer() async throws {
        guard server == nil else { return }
        let server = try ChildProcess(
            command(["pipewire", "-c", directory.path(of: "pipewire.conf")]), environment: environment)
        running.withLock { $0.server = server }
        try await eventually("pipewire listens") {
            guard server.isRunning else {
                throw TestFailure("pipewire ended: \(server.text(of: .errors))")
            }
            return (try? connect()) != nil
        }
    }

    /// Starts the session manager without waiting for it.
    @discardableResult
    public func launchSessionManager() throws -> ChildProcess {
        let folder = directory.path(of: "wireplumber")
        let manager = try ChildProcess(
            command(["wireplumber"] + WirePlumberConfiguration.installed.arguments), environment: environment,
            adding: ["WIREPLUMBER_CONFIG_DIR": folder, "WIREPLUMBER_DATA_DIR": "/usr/share/wireplumber"])
        running.withLock { $0.sessionManager = manager }
        return manager
    }

    public func startSessionManager() async throws {
        let manager = try launchSessionManager()
        // A monitor, because pw-metadata without it may disconnect before its bind of the metadata has ended: then PipeWire
        // reports no more changes of the metadata to anyone.
        let monitor = try ChildProcess(["pw-metadata", "--monitor"], environment: environment)
        try await eventually("wireplumber is ready") {
            guard manager.isRunning else {
                throw TestFailure("wireplumber ended: \(manager.text(of: .errors))")
            }
            // It creates the metadata for defaults first.
            return monitor.text(of: .output).contains("Found \"default\" metadata")
        }
        // This bind ends after that of the monitor.
        try await run("pw-metadata")
        monitor.terminate()
        _ = try await monitor.exitStatus()
    }

    /// Kills the server and its session manager. Returns when they have ended.
    public func kill() async throws {
        let ended = running.withLock { running in
            defer { running = Running() }
            return running
        }
        for process in [ended.server, ended.sessionManager] {
            process?.kill()
            _ = try await process?.exitStatus()
        }
    }

    public func killSessionManager() async throws {
        let manager = running.withLock { $0.sessionManager.take() }
        manager?.kill()
        _ = try await manager?.exitStatus()
    }

    /// Stops the server: its socket exists, and it does not answer.
    public func pause() throws { try server?.stop() }

    public func resume() { server?.send(SIGCONT) }
}

// MARK: - Its graph

extension PrivatePipeWire {
    /// The graph as another client sees it now.
    public func graph() async throws -> AudioGraph {
        var graph: AudioGraph?
        // If objects vanish meanwhile, the output of pw-dump is not valid JSON.
        try await eventually("pw-dump shows a graph") {
            // It may also wait for ever for one of these objects.
            guard
                let dump = try? await ChildProcess.run(
                    ["pw-dump"], environment: environment, within: .seconds(8))
            else { return false }
            guard dump.status == .exited(0) else { throw TestFailure("pw-dump: \(dump.errors)") }
            graph = try? AudioGraph(json: dump.output)
            return graph != nil
        }
        guard let graph else { throw TestFailure("pw-dump shows no graph") }
        return graph
    }

    /// The number of nodes with this name.
    public func nodeCount(_ name: String) async throws -> Int {
        try await graph().nodes(named: name).count
    }

    /// Adds a silent source, until it is removed.
    /// - Parameter properties: added to, or replacing, the default ones.
    public func addSource(_ name: String, _ properties: [String: String] = [:]) async throws {
        let standard = [
            "factory.name": "support.null-audio-sink", "node.name": name,
            "media.class": "Audio/Source/Virtual",
            "audio.channels": "1", "audio.position": "MONO", "audio.rate": "16000", "object.linger": "true",
        ]
        try await command("create-node", "adapter", .properties(standard.merging(properties) { $1 }))
    }

    /// Adds the only sink. Its monitor can be recorded. Returns when the session manager, if there is one, uses it: before
    /// that, a recorder or player finds nothing to use, and ends.
    public func addSink(_ name: String) async throws {
        try await addSource(name, ["media.class": "Audio/Sink"])
        guard sessionManager != nil else { return }
        try await eventually("\(name) is the default sink") {
            try await defaultNode("default.audio.sink") == name
        }
    }

    /// Removes the nodes with this name.
    public func removeNode(_ name: String) async throws {
        for node in try await graph().nodes(named: name) { try await command("destroy", "\(node.id)") }
    }

    /// Links two ports, named `node:port`, like a patch bay.
    public func link(_ output: String, to input: String) async throws {
        try await run("pw-link", output, input)
    }

    /// Removes such a link.
    public func unlink(_ output: String, from input: String) async throws {
        try await run("pw-link", "--disconnect", output, input)
    }

    /// Records from a source for a moment. It must be the default source: PipeWire 0.3.65 lets pw-record use no other.
    public func use(_ name: String) async throws {
        let recorder = try record(["node.name": "user of \(name)", "target.object": name])
        try await eventually("\(name) runs") {
            try await graph().nodes(named: name).contains { $0.state == "running" }
        }
        recorder.terminate()
        try await eventually("nobody uses \(name)") { try await nodeCount("user of \(name)") == 0 }
    }

    /// Asks to mute a stream. PipeWire 1.4, before 1.4.10, does not show this before the stream's first use.
    public func requestMute(_ name: String, _ isMuted: Bool) async throws {
        for node in try await graph().nodes(named: name) {
            try await command("set-param", "\(node.id)", "Props", "{ mute: \(isMuted) }")
        }
    }

    /// Mutes a stream that was used, like a mixer. A source of ``addSource(_:_:)`` ignores it since PipeWire 1.4.
    public func mute(_ name: String, _ isMuted: Bool) async throws {
        try await requestMute(name, isMuted)
        try await eventually("\(name) is \(isMuted ? "" : "not ")muted") {
            try await graph().nodes(named: name).allSatisfy { $0.isMuted == isMuted }
        }
    }

    /// Sets the volume of a stream, like a mixer.
    public func setVolume(_ name: String, _ volume: Double) async throws {
        for node in try await graph().nodes(named: name) {
            try await command("set-param", "\(node.id)", "Props", "{ channelVolumes: [ \(volume) ] }")
        }
    }

    /// Chooses the default source, like a settings panel.
    public func choose(defaultSource name: String) async throws {
        try await run(
            "pw-metadata", "0", "default.configured.audio.source", #"{ "name": "\#(name)" }"#,
            "Spa:String:JSON")
    }

    /// The source, or sink, that the session manager uses as the default source.
    public func defaultSource() async throws -> String? {
        try await defaultNode("default.audio.source")
    }

    private func defaultNode(_ key: String) async throws -> String? {
        let shown = try await run("pw-metadata", "0", key).output
        return shown.firstMatch(of: /"name": *"([^"]*)"/).map { String($0.output.1) }
    }

    /// PipeWire's player, playing samples to a sink until their end.
    public func play(_ samples: [Int16], to sink: String) throws -> ChildProcess {
        let file = directory.path(of: "\(sink).wav")
        try WaveFile.write(samples, to: file)
        return try ChildProcess(["pw-play", "--target", sink, file], environment: environment)
    }

    /// PipeWire's player, as a source that needs no session manager.
    /// - Parameter channels: of each frame of the samples.
    public func playAsSource(_ samples: [Int16], channels: Int = 1, named name: String) throws
        -> ChildProcess
    {
        let file = directory.path(of: "\(name).wav")
        try WaveFile.write(samples, channels: channels, to: file)
        let properties = [
            "media.class": "Audio/Source", "node.name": name, "adapter.auto-port-config": "{ mode = dsp }",
        ]
        return try ChildProcess(["pw-play", "-P", .properties(properties), file], environment: environment)
    }

    /// PipeWire's recorder, recording like any application until it is ended.
    /// - Parameter hasOrdinaryRights: it has no right to real-time priority: see ``OrdinaryRights``.
    public func record(
        role: String = "Music", _ properties: [String: String] = [:], to file: String = "/dev/null",
        hasOrdinaryRights: Bool = false
    ) throws -> ChildProcess {
        let command = ["pw-record", "--media-role", role, "-P", .properties(properties), file]
        return try ChildProcess(
            hasOrdinaryRights ? OrdinaryRights.command(command) : command, environment: environment)
    }

    private func command(_ words: String...) async throws {
        try await run(["pw-cli"] + words)
    }

    @discardableResult
    private func run(_ words: String...) async throws -> (output: String, errors: String) {
        try await run(words)
    }

    @discardableResult
    private func run(_ words: [String]) async throws -> (output: String, errors: String) {
        let result = try await ChildProcess.run(words, environment: environment)
        guard result.status == .exited(0), !result.errors.contains("Error") else {
            throw TestFailure("\(words.joined(separator: " ")): \(result.errors)")
        }
        return (result.output, result.errors)
    }
}

extension String {
    /// Properties in the notation of PipeWire's tools.
    fileprivate static func properties(_ properties: [String: String]) -> String {
        let pairs = properties.map { key, value in
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            return "\"\(key)\" = \"\(escaped)\""
        }
        return "{ \(pairs.sorted().joined(separator: " ")) }"
    }
}
