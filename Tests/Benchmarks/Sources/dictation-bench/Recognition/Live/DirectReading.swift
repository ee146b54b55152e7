import DictationRig
import DictationTestKit
import Foundation

/// What the model writes of recordings when it is asked directly, and when their words end: packaging/engine/bench/direct.
struct DirectReading: Decodable {
    var text: String
    /// In seconds.
    var ends: [Double]

    /// - Parameter language: the model's code.
    static func all(
        of utterances: [SpeechSet.Utterance], model: String, language: String = "en"
    ) async throws -> [DirectReading] {
        let folder = try TemporaryDirectory()
        for (index, utterance) in utterances.enumerated() {
            let name = "\(index)".leftPadded(to: 4)
            try WaveFile.write(utterance.samples, to: folder.path(of: "\(name).wav"))
            try countedWords(of: utterance.reference).write(
                toFile: folder.path(of: "\(name).txt"), atomically: false, encoding: .utf8)
        }
        let program = repository.appending(path: "packaging/engine/bench/direct").path
        let result = try await ChildProcess.run(
            [program, model, language, folder.path], within: .seconds(1200))
        guard result.status == .exited(0) else { throw TestFailure("\(program): \(result.errors)") }
        return try result.output.split(separator: "\n").map { line in
            try JSONDecoder().decode(DirectReading.self, from: Data(line.utf8))
        }
    }
}

extension String {
    /// With zeros before it.
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: "0", count: max(0, width - count)) + self
    }
}
