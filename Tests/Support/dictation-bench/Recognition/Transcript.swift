import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Glibc

/// What the daemon made of a recording.
struct Transcript {
    var text = ""
    /// The words as the engine gave them.
    var spoken = ""
    var hasVocabulary = false
    /// Passages with the first pass's text, because the engine had none.
    var fallback = 0
}

extension Dictation {
    /// Has the daemon transcribe a recording, in a session of its own.
    /// - Parameter asksForVocabulary: sets ``Transcript/hasVocabulary``.
    func transcribe(
        _ samples: [Int16], _ options: [BusText: Value] = [:], asksForVocabulary: Bool = false
    ) async throws -> Transcript {
        let client = try await TestClient(on: rig)
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "speech.wav")
        try WaveFile.write(Speech.silence(0.3) + samples + Speech.silence(0.5), to: path)
        let file = Descriptor(owning: open(path, O_RDONLY | O_CLOEXEC))
        _ = try await client.dictation.start(
            options: options.merging(["input": .descriptor(file), "partials": Value(false)]) { $1 },
            timeout: .seconds(120))
        var transcript = Transcript()
        if asksForVocabulary {
            transcript.hasVocabulary = try await client.dictation.getSession()["vocabulary"] != nil
        }
        // A recording is committed at its end.
        try await eventually("the recording is transcribed", within: .seconds(900)) { client.finals == [1] }
        for case .final(_, _, let text, let details) in client.signals {
            transcript.text = text
            transcript.spoken = details["spoken"].flatMap { String($0) } ?? text
            transcript.fallback = details["fallback"].flatMap { UInt32($0) }.map { Int($0) } ?? 0
        }
        await client.connection.close()
        return transcript
    }
}

/// A synthetic voice.
struct Voice {
    let name: String
    private let command: [String]

    /// Of Debian's flite and espeak-ng.
    static let all = [
        Voice(name: "slt", command: ["flite", "-voice", "slt", "-o"]),
        Voice(name: "rms", command: ["flite", "-voice", "rms", "-o"]),
        Voice(name: "espeak-ng", command: ["espeak-ng", "-v", "en-us", "-s", "150", "-w"]),
        Voice(name: "awb", command: ["flite", "-voice", "awb", "-o"]),
    ]

    func say(_ sentence: String) async throws -> [Int16] {
        let folder = try TemporaryDirectory()
        let file = folder.path(of: "speech.wav")
        try await Sox.run(command + [file] + (command[0] == "flite" ? ["-t", sentence] : [sentence]))
        return try await Sox.samples(of: file, ["gain", "-3", "rate", "16000"])
    }
}
