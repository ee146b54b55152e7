import DictationRig
import DictationTestKit

/// What the engine costs while nobody speaks.
struct LiveCost {
    let model: String
    private static let seconds = 20.0

    func run() async throws {
        let scene = try await LiveScene(model: model)
        let speech = try await SpeechSet.librivox().utterances[0].samples
        var silent = (engine: 0.0, daemon: 0.0)
        try await scene.listening {
            _ = try await scene.say(speech)
            silent = try await cost(of: scene)
        }
        let memory = try scene.engine?.memory() ?? 0
        let rest = try await cost(of: scene)
        var table = Table(
            "Whisper \(model) while nobody speaks, in percent of a core", columns: "", "engine", "daemon")
        table.add("listening", silent.engine.written(2, "%"), silent.daemon.written(2, "%"))
        table.add("without a session", rest.engine.written(2, "%"), rest.daemon.written(2, "%"))
        table.add(
            "memory", memory.written(0, "MiB"), try scene.dictation.peakMemory().written(0, "MiB"))
        table.print()
        try await scene.end()
    }

    private func cost(of scene: LiveScene) async throws -> (engine: Double, daemon: Double) {
        // The work of the last commit ends.
        try await Task.sleep(for: .seconds(2))
        let before = (try scene.engineTime(), try scene.daemonTime())
        try await Task.sleep(for: .seconds(Self.seconds))
        return (
            (try scene.engineTime() - before.0) / Self.seconds * 100,
            (try scene.daemonTime() - before.1) / Self.seconds * 100
        )
    }
}
