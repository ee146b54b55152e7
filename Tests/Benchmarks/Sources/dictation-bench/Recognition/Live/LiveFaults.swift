import DictationRig
import DictationTestKit
import Glibc

/// The engine fails in mid-sentence.
struct LiveFaults {
    let model: String
    private static let faultTime = 6.0

    private enum Fault: String, CaseIterable {
        case none, killed, stopped
        /// It runs a tenth of the time.
        case slow
    }

    func run() async throws {
        var table = Table(
            "Whisper \(model) fails \(Self.faultTime.written(0, "s")) into a letter", columns: "fault",
            "next word after", "longest pause between texts then", "word errors", "words fewer on the screen",
            "passages without the engine", "commit")
        let letter = try await EngineSets.letters().utterances[0]
        for fault in Fault.allCases {
            let scene = try await LiveScene(model: model)
            guard let process = scene.engine?.process else { continue }
            var seen = SeenUtterance()
            try await scene.listening {
                _ = try await scene.say(SpeechSet.librivox().utterances[0].samples)
                var isDone = false
                seen = try await scene.say(letter.samples) { time in
                    guard time >= Self.faultTime + LiveScene.lead else { return }
                    switch fault {
                    case .none: break
                    case .killed where !isDone: kill(process.pid, SIGKILL)
                    case .stopped where !isDone: kill(process.pid, SIGSTOP)
                    case .slow: kill(process.pid, Int(time * 10) % 10 == 0 ? SIGCONT : SIGSTOP)
                    case .killed, .stopped: break
                    }
                    isDone = true
                }
            }
            kill(process.pid, SIGCONT)
            let fault0 = Self.faultTime + LiveScene.lead
            let before = seen.texts.last { $0.time <= fault0 }?.text ?? ""
            let count = before.split(separator: " ").count
            let next = seen.texts.first { $0.time > fault0 && $0.text.split(separator: " ").count > count }
            let later = [fault0] + seen.texts.map(\.time).filter { $0 > fault0 }
            let pauses = zip(later, later.dropFirst()).map { $1 - $0 }
            let errors = WordErrorRate(
                of: countedWords(of: seen.text), reference: countedWords(of: letter.reference))
            table.add(
                fault.rawValue, next.map { ($0.time - fault0).written(2, "s") } ?? "never",
                (pauses.max() ?? .infinity).isFinite ? (pauses.max() ?? 0).written(2, "s") : "",
                "\(errors.errors) of \(errors.words)", seen.hasShrunk ? "yes" : "no",
                "\(seen.fallback)", seen.commit.written(0, "ms"))
            try await scene.dictation.rig.end()
            process.kill()
            _ = try await process.exitStatus()
        }
        table.print()
    }
}
