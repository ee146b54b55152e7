import ArgumentParser
import DBus
import DictationInterface
import DictationRig
import DictationTestKit

/// PocketSphinx alone, and with Whisper tiny.en as a second pass.
struct Engines: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "PocketSphinx alone and with Whisper tiny.en: words, noise and latency.",
        discussion: """
            Words and noise are transcribed from files, faster than real time, and need no quiet machine. The rest is \
            measured live, at the pace of real time, in 14 minutes.
            """)

    @Flag(help: "Leave out words and noise.")
    var short = false

    @Option(name: .customLong("part"), help: "Only this part.")
    var parts: [Part] = []

    enum Part: String, ExpressibleByArgument, CaseIterable {
        case words, noise, commits, partials
    }

    @Option(help: "Another set of words: a folder with NAME.wav and NAME.txt for each recording.")
    var set: [String] = []

    @Option(help: "A folder of WAV files in which nobody dictates, instead of the 15 sounds of 10 s.")
    var noise: String?

    @Option(help: "Write the segments of speech and noise into this folder, for other detectors, and end.")
    var write: String?

    func run() async throws {
        if let write { return try await EngineSets.write(into: write, sets: set, noise: noise) }
        let whisper = try WhisperServer()
        try await whisper.listens()
        let contestants = [
            Contestant(name: "PocketSphinx", configuration: ""),
            Contestant(
                name: "Whisper tiny.en", configuration: secondPass(at: "unix:\(whisper.socket)")),
        ]
        // Words and noise: the text is to be Whisper's, however busy the machine is.
        let patient = [
            contestants[0],
            Contestant(
                name: contestants[1].name,
                configuration: secondPass(at: "unix:\(whisper.socket)", fallback: "wait")),
        ]
        for part in Part.allCases where parts.isEmpty || parts.contains(part) {
            switch part {
            case .words where !short: try await EngineWords(contestants: patient, folders: set).run()
            case .noise where !short: try await EngineNoise(contestants: patient, folder: noise).run()
            case .words, .noise: break
            case .commits: try await EngineCommits(contestants: contestants).run()
            case .partials: try await EnginePartials(contestants: contestants).run()
            }
        }
    }
}

/// A configuration to measure.
struct Contestant {
    var name: String
    var configuration: String
}

extension TestClient {
    /// Of the property `Engines`.
    func engine(_ name: String) async throws -> [BusText: Value] {
        guard case .array(let engines, _) = try await dictation.value(of: .engines) else { return [:] }
        for case .structure(let fields) in engines where fields.first == .string(name) {
            return [BusText: Value](fields[1]) ?? [:]
        }
        return [:]
    }

    /// Milliseconds from the last request to the engine's answer.
    func lastAnswer(of name: String) async throws -> Double {
        try await (engine(name)[EngineKey.answer].flatMap { Double($0) } ?? .nan) * 1000
    }

    func waitForEngine(_ name: String) async throws {
        try await eventually("\(name) is available", within: .seconds(60)) {
            try await engine(name)["available"] == .bool(true)
        }
    }
}
