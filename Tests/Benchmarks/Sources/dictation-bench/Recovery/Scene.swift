import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop

/// The real daemon, a client of it, and an observer of the audio server.
struct Scene {
    let rig: Rig
    let graph: GraphWatch
    let client: Client

    /// - Parameter configuration: the daemon's, in addition to the scripted engine.
    static func run<Result>(_ configuration: String = "", _ body: (Scene) async throws -> Result) async throws
        -> Result
    {
        let rig = try await Rig(tones + configuration, allowsEveryone: false)
        let graph = try await GraphWatch(of: rig.audio)
        let client = try await Client(on: rig)
        for resource in Resource.dictation { try await client.set(resource, .granted) }
        let scene = Scene(rig: rig, graph: graph, client: client)
        do {
            let result = try await body(scene)
            await graph.stop()
            await client.close()
            try await rig.end()
            try await rig.audio.kill()
            return result
        } catch {
            throw TestFailure("\(error)\nThe daemon's log:\n\(rig.daemon.text(of: .errors))")
        }
    }

    /// Plugs in a microphone at the pace of real time, and waits until a session can use it.
    func plugIn(_ name: String, _ properties: [String: String] = [:]) async throws -> DriverMicrophone {
        let microphone = try DriverMicrophone(name, of: rig.audio, pace: .realTime, properties)
        try await graph.settle("\(name) is there") {
            $0.sources.keys.contains { $0.rawValue == name } && $0.defaultSource != nil
        }
        return microphone
    }

    /// Waits until the daemon's stream is in the graph.
    func capturing() async throws {
        try await graph.settle("the daemon captures", where: \.dictationCaptures)
    }
}
