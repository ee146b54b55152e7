import DBus
import DictationInterface
import DictationRig
import DictationTestKit

/// What was seen of an utterance that was said at the pace of real time. Times are in seconds from the beginning of its sound.
struct SeenUtterance {
    /// The texts of its block, each with the time at which it came.
    var texts: [(time: Double, text: String)] = []
    /// Beginning of the speech.
    var onset = 0.0
    /// When the commit was called.
    var end = 0.0
    var text = ""
    var details: [BusText: Value] = [:]
    /// Milliseconds from the commit's call to its reply.
    var commit = 0.0

    /// Passages with the text of PocketSphinx.
    var fallback: Int { details["fallback"].flatMap { UInt32($0) }.map { Int($0) } ?? 0 }

    var first: Double? { texts.first.map { max(0, $0.time - onset) } }

    /// Whether a text had fewer words than the one before.
    var hasShrunk: Bool {
        let counts = texts.map { $0.text.split(separator: " ").count }
        return zip(counts, counts.dropFirst()).contains { $0 > $1 }
    }
}

/// The daemon with an engine, or without one, and a microphone at the pace of real time.
struct LiveScene {
    static let lead = 0.3
    private static let step = Duration.milliseconds(20)

    let engine: EngineProcess?
    let dictation: Dictation
    let microphone: (name: String, driver: DriverMicrophone)

    /// - Parameter model: of packaging/engine; nil for PocketSphinx.
    init(model: String?, fallback: String = "preview", settings: String = "") async throws {
        engine = if let model { try await EngineProcess(model: model) } else { nil }
        let address = engine.map { secondPass(at: "unix:\($0.socket)", fallback: fallback) } ?? ""
        dictation = try await Dictation(address + settings)
        if engine != nil { try await dictation.client.waitForEngine("whisper") }
        microphone = try await dictation.freshMicrophone(pace: .realTime)
    }

    func end() async throws {
        try await dictation.rig.end()
        engine?.process.terminate()
        _ = try await engine?.process.exitStatus()
    }

    /// Listens while `body` runs.
    func listening(_ options: [BusText: Value] = [:], _ body: () async throws -> Void) async throws {
        try await dictation.session(over: microphone.name, options, body)
    }

    /// Seconds of the engine's processor time.
    func engineTime() throws -> Double {
        try engine.map { try Dictation.processorTime(of: $0.process.pid) } ?? 0
    }

    func daemonTime() throws -> Double { try dictation.processorTime() }

    /// Says an utterance as a block of its own.
    /// - Parameters:
    ///   - pause: seconds of silence before the commit; negative commits before the end.
    ///   - during: called with the seconds since the beginning of the sound, every 20 ms.
    func say(
        _ samples: [Int16], pause: Double = 0.6, during: (Double) throws -> Void = { _ in }
    ) async throws -> SeenUtterance {
        let client = dictation.client
        client.forget()
        let all = Speech.silence(Self.lead) + samples + Speech.silence(max(0, pause) + 0.5)
        let clock = ContinuousClock()
        let begin = microphone.driver.played
        var seen = SeenUtterance()
        seen.onset = Self.lead + Double(Partials.onset(of: samples)) / 16000
        microphone.driver.play(all)
        let committed = Self.lead + Double(samples.count) / 16000 + pause
        while true {
            let time = Double(microphone.driver.played - begin) / 16000
            let text = client.lastText
            if !text.isEmpty, text != seen.texts.last?.text ?? "" { seen.texts.append((time, text)) }
            try during(time)
            if time >= committed { break }
            try await Task.sleep(for: Self.step)
        }
        seen.end = committed
        let called = clock.now
        (_, seen.text, seen.details) = try await client.dictation.commit(timeout: .seconds(60))
        seen.commit = (clock.now - called) / .microseconds(1) / 1000
        try await eventually("the rest is played", within: .seconds(30)) {
            microphone.driver.played >= begin + all.count
        }
        return seen
    }
}

extension TestClient {
    /// The text of the block of the last Partial.
    fileprivate var lastText: String {
        let block = signals.lazy.reversed().compactMap { signal in
            if case .partial(_, let block, _, _, _, _) = signal { block } else { nil }
        }.first
        return block.map { text(of: $0) } ?? ""
    }
}
