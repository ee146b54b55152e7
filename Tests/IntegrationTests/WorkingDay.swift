import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Recognition
import Testing

/// What happens in a working day, again and again, to one lingering session, whose client has gone: another controls it.
///
/// A round has speech and silence, a headset that comes and goes, a microphone that goes and comes, a call, a locked
/// screen, restarts of the sound server and of the session manager, and faults of the engines.
struct WorkingDay {
    private(set) var recognition = RecognisedWords()
    private let rig: Rig
    private let client: TestClient
    private let logind: MockLogind
    private let session: Value?
    private var voice: Voice
    private var finalEngine: ScriptedEngineServer?
    private var microphone: DriverMicrophone
    private var pace = DriverMicrophone.Pace.brisk
    private let begin = ContinuousClock.now
    private var measurements: [Measurement] = []

    /// What the daemon uses at the end of a round.
    private struct Measurement {
        let hours: Double
        let usage: Usage
        /// In each second of silence.
        let wakeUps: Double
    }

    /// - Parameter finalEngine: in another process; it recognises tones, like the service's own scripted engine.
    init(on rig: Rig, _ voice: Voice, finalEngine: ScriptedEngineServer? = nil) async throws {
        self.rig = rig
        self.voice = voice
        self.finalEngine = finalEngine
        microphone = try await rig.plugIn("desk")
        let starter = try await TestClient(on: rig, listensToAll: false)
        _ = try await starter.dictation.start(options: ["linger": .bool(true)])
        await starter.vanish()
        client = try await TestClient(on: rig)
        logind = try await rig.logind(steeredBy: client)
        try await client.dictation.subscribe(options: ["text": .bool(true)])
        session = try await client.dictation.getSession()["session"]
        try await rig.isListening(to: "desk")
    }

    /// Rounds until the time is over. The first ones, at the pace of a test, are not measured.
    /// - Parameters:
    ///   - minutes: nil for `rounds` that are fast, too.
    mutating func run(minutes: Double?, rounds: Int, warmUp: Int) async throws {
        for _ in 0..<warmUp { try await round() }
        recognition = RecognisedWords()
        if minutes != nil {
            pace = .spoken
            try microphone.go(at: pace)
        }
        repeat {
            try await round()
            try await measure()
        } while minutes.map({ begin.duration(to: .now) < .seconds(60 * $0) }) ?? (measurements.count < rounds)
    }

    private mutating func round() async throws {
        client.forget()
        recognition.beginRound()
        for _ in 1...3 { try await dictate() }
        try await microphonesComeAndGo()
        try await callAndLock()
        try await soundServerRestarts()
        if let finalEngine { try await enginesFail(finalEngine) }
    }

    // MARK: What happens

    /// Says something and commits it.
    private mutating func dictate(by engine: String? = nil) async throws {
        try await dictate(into: microphone, by: engine)
    }

    private mutating func dictate(into microphone: DriverMicrophone, by engine: String? = nil) async throws {
        let utterance = voice.next()
        try await rig.say(utterance.samples + Speech.silence(0.5), into: microphone)
        let (_, text, details) = try await client.dictation.commit(timeout: .seconds(60))
        recognition.note(text, of: utterance)
        if let engine { #expect(details["engine"] == Value(engine)) }
    }

    private mutating func microphonesComeAndGo() async throws {
        let headset = try DriverMicrophone("headset", of: rig.audio, pace: pace, ["priority.session": "9000"])
        try await client.comes("new-device: desk → headset")
        try await rig.isListening(to: "headset")
        try await dictate(into: headset)
        microphone.unplug()
        try await dictate(into: headset)
        microphone = try await rig.plugIn("desk", pace: pace)
        headset.unplug()
        try await client.comes("device-removed: headset → desk")
        try await rig.isListening(to: "desk")
        try await dictate()
    }

    private mutating func callAndLock() async throws {
        let call = try rig.audio.record(role: "Communication")
        try await client.comes("Interrupted call")
        call.terminate()
        try await client.comes("Resumed call")
        try await dictate()
        try await logind.setLockedHint(true, "c1")
        try await client.comes("Interrupted session-locked")
        try await logind.setLockedHint(false, "c1")
        try await client.comes("Resumed session-locked")
        try await dictate()
    }

    private mutating func soundServerRestarts() async throws {
        try await rig.audio.kill()
        try await client.comes("Interrupted audio-server-lost")
        try await rig.audio.start()
        microphone = try await rig.plugIn("desk", pace: pace)
        try await client.comes("server-restarted: desk → desk")
        try await rig.isListening(to: "desk")
        try await dictate()
        try await rig.audio.killSessionManager()
        try await rig.audio.startSessionManager()
        try await rig.isListening(to: "desk")
        try await dictate()
    }

    private mutating func enginesFail(_ engine: ScriptedEngineServer) async throws {
        engine.process.kill()
        _ = try await engine.process.exitStatus()
        try await dictate(by: "scripted")
        let errors = client.story.count { $0 == "Error EngineFailed" }
        // The decoder fails on this tone, and so does the new one, which decodes the segment again.
        try await rig.say(Speech.tones(ScriptedEngine.fatalTone) + Speech.silence(2), into: microphone)
        try await client.comes("Error EngineFailed", times: errors + 1)
        #expect(try await client.dictation.commit().text == "")
        try await dictate(by: "scripted")
        let next = try await ScriptedEngineServer(at: engine.address, mode: "tones")
        finalEngine = next
        try await eventually("it is used again") {
            guard case .array(let engines, _) = try await client.dictation.value(of: .engines) else {
                return false
            }
            return engines.contains { engine in
                guard case .structure(let fields) = engine, fields.first == Value("whisper") else {
                    return false
                }
                return [BusText: Value](fields[1])?["available"] == .bool(true)
            }
        }
        try await dictate(by: "whisper")
    }

    // MARK: What the daemon uses

    private mutating func measure() async throws {
        let silence = 10.0
        let (microphone, rig) = (microphone, rig)
        let wakeUps = try await ThreadUsage.wakeUps(of: rig.processes()) {
            try await rig.say(Speech.silence(silence), into: microphone)
        }
        let measurement = Measurement(
            hours: begin.duration(to: .now) / .seconds(3600), usage: try await rig.usageAtRest(),
            wakeUps: Double(wakeUps.own) / silence)
        measurements.append(measurement)
        print(
            """
            minute \((measurement.hours * 60).written): round \(measurements.count), \(recognition); \
            \(measurement.usage), \
            \(measurement.wakeUps.written) wake-ups a second of silence
            """)
        fflush(nil)
    }

    /// Prints what the daemon uses at the beginning, at the end, and how it changes in an hour, and checks it.
    /// - Parameter kibibytes: the growth of memory in an hour, or in less.
    func expectFlatUse(kibibytes: Double = 2048) async throws {
        let (first, last) = try (#require(measurements.first), #require(measurements.last))
        let hours = last.hours - first.hours
        func slope(_ name: String, _ figure: (Measurement) -> Double) -> Double {
            let slope = Slope(measurements.map { ($0.hours, figure($0)) }).perHour
            print("| \(name) | \(figure(first).written) | \(figure(last).written) | \(slope.written) |")
            return slope
        }
        print("\(measurements.count) rounds, \((hours * 60).written) minutes: \(recognition)")
        print("| figure | start | end | slope per hour |")
        _ = slope("descriptors") { Double($0.usage.descriptors) }
        _ = slope("threads") { Double($0.usage.threads) }
        let memory = slope("memory, KiB") { Double($0.usage.kibibytes) }
        let wakeUps = slope("wake-ups a second in silence") { $0.wakeUps }
        try await rig.expectAsBefore(first.usage)
        #expect(isSanitized || memory * hours <= kibibytes * max(1, hours))
        // The graph wakes the data thread 50 times a second.
        #expect(last.wakeUps < 75)
        // Two rounds are no line.
        #expect(measurements.count <= 2 || wakeUps * hours < max(3, first.wakeUps / 10))
        #expect(try await client.dictation.getSession()["session"] == session, "It is the same session.")
    }
}

/// A straight line through measurements, by least squares.
private struct Slope {
    let perHour: Double

    init(_ points: [(hours: Double, value: Double)]) {
        let count = Double(max(1, points.count))
        let (meanTime, meanValue) = (
            points.map(\.hours).reduce(0, +) / count, points.map(\.value).reduce(0, +) / count
        )
        let spread = points.map { ($0.hours - meanTime) * ($0.hours - meanTime) }.reduce(0, +)
        let common = points.map { ($0.hours - meanTime) * ($0.value - meanValue) }.reduce(0, +)
        perHour = spread > 0 ? common / spread : 0
    }
}

extension Double {
    /// With one decimal.
    fileprivate var written: String { String(format: "%.1f", self) }
}
