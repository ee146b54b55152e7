import DictationRig
import DictationTestKit

/// Text from sounds in which nobody dictates, from files.
struct EngineNoise {
    let contestants: [Contestant]
    /// Of other sounds.
    let folder: String?

    func run() async throws {
        let sounds = try await EngineSets.noise(folder)
        let segments = sounds.flatMap { sound in
            EngineSets.segments(of: sound.samples).map { (name: sound.name, samples: $0) }
        }
        let trusting = try WhisperServer(checksForSpeech: false)
        try await trusting.listens()
        let all =
            contestants + [
                Contestant(
                    name: "the same, without the server's voice activity detector",
                    configuration: secondPass(at: "unix:\(trusting.socket)", fallback: "wait"))
            ]
        var table = Table(
            "NOISE: \(segments.count) segments that the voice activity detector lets through of \(sounds.count) sounds",
            columns: "engine", "segments with text", "of what")
        for contestant in all {
            let dictation = try await Dictation(contestant.configuration)
            if !contestant.configuration.isEmpty { try await dictation.client.waitForEngine("whisper") }
            var found: [String: Int] = [:]
            for segment in segments {
                let text = try await dictation.transcribe(segment.samples).text
                if text.contains(where: { $0.isLetter || $0.isNumber }) {
                    found[segment.name, default: 0] += 1
                }
            }
            table.add(
                contestant.name, "\(found.values.reduce(0, +))",
                found.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
            try await dictation.rig.end()
        }
        table.print()
    }
}
