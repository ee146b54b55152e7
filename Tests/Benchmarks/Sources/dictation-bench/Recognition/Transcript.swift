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
    /// Each word and its middle, in seconds since the recording began; none where the engine tells no times.
    var words: [(text: String, middle: Double)] = []
    /// Passages with the first pass's text, because the engine had none.
    var fallback = 0
}

extension Dictation {
    /// Has the daemon transcribe a recording, in a session of its own.
    func transcribe(_ samples: [Int16], _ options: [BusText: Value] = [:]) async throws -> Transcript {
        let client = try await TestClient(on: rig)
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "speech.wav")
        try WaveFile.write(Speech.silence(0.3) + samples + Speech.silence(0.5), to: path)
        let file = Descriptor(owning: open(path, O_RDONLY | O_CLOEXEC))
        _ = try await client.dictation.start(
            options: options.merging(["input": .descriptor(file), "partials": Value(false)]) { $1 },
            timeout: .seconds(120))
        // A recording is committed at its end.
        try await eventually("the recording is transcribed", within: .seconds(1200)) { client.finals == [1] }
        var transcript = Transcript()
        for case .final(_, _, let text, let details) in client.signals {
            transcript.text = text
            transcript.spoken = details["spoken"].flatMap { String($0) } ?? text
            transcript.fallback = details["fallback"].flatMap { UInt32($0) }.map { Int($0) } ?? 0
            if case .array(let words, _) = details["words"] {
                transcript.words = words.compactMap(Self.word)
            }
        }
        await client.connection.close()
        return transcript
    }

    private static func word(_ value: Value) -> (text: String, middle: Double)? {
        guard case .structure(let parts) = value, parts.count == 4, let text = String(parts[0]),
            case .double(let start) = parts[1], case .double(let end) = parts[2]
        else { return nil }
        return (text, (start + end) / 2 - 0.3)
    }

    /// Has the daemon transcribe sentences in one recording, which is decoded faster than one session for each.
    /// - Returns: the words of each sentence.
    func transcribe(sentences: [[Int16]]) async throws -> [[String]] {
        let pause = 1.0
        var samples: [Int16] = []
        var ends: [Double] = []
        for sentence in sentences {
            samples += sentence
            ends.append(Double(samples.count) / 16000 + pause / 2)
            samples += Speech.silence(pause)
        }
        var heard = [[String]](repeating: [], count: sentences.count)
        for word in try await transcribe(samples).words {
            heard[min(ends.firstIndex { word.middle < $0 } ?? .max, sentences.count - 1)].append(word.text)
        }
        return heard
    }

    /// Whether a session that starts now has words of the user's own.
    func hasOwnWords() async throws -> Bool {
        let client = try await TestClient(on: rig)
        _ = try await client.dictation.start(options: [:], timeout: .seconds(120))
        let has = try await client.dictation.getSession()["vocabulary"] != nil
        try await client.dictation.stop()
        await client.connection.close()
        return has
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
