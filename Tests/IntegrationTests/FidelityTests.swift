import DBus
import Desktop
import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Microphone
import Recognition
import Testing

/// Every sample that a microphone emits enters the recogniser, once and in order.
@Suite struct FidelityTests {
    /// The long version, `packaging/soak audio`, has ten minutes.
    static let seconds =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_SECONDS"].flatMap { Int($0) } ?? 4

    @Test func keepsEverySampleFasterThanRealTime() async throws {
        let passage = try await Passage(pace: .fast)
        let emitted = Self.noise(seconds: Self.seconds)
        let duration = try await passage.play(emitted)
        // The lag is constant: silence, and then every sample in order.
        let received = passage.received
        let lag = try #require(received.firstIndex { $0 != 0 })
        #expect(Array(received[lag...].prefix(emitted.count)) == emitted)
        #expect(passage.dropped == 0)
        #expect(
            Int((duration * 16000).rounded()) == received.count, "The detector got every received sample.")
    }

    /// The sound is played in short passages, because the host of a virtual machine may suspend it for a moment. A passage
    /// with a loss during such a stall is repeated.
    @Test func keepsEverySampleAtRealTime() async throws {
        let length = min(20, Self.seconds)
        var exact = 0
        var repeated = 0
        while exact < Self.seconds / length {
            let detector = try StallDetector()
            let losses = try await playInRealTime(seconds: length)
            let stalls = try await detector.stalls()
            if losses.isEmpty {
                exact += 1
                continue
            }
            for loss in losses {
                try #require(
                    stalls.contains { $0.overlaps(loss) },
                    "lost without a stall of the machine: \(loss), stalls: \(stalls)")
            }
            repeated += 1
            try #require(repeated <= 30, "the machine stalls too often: \(stalls)")
        }
        print("\(exact) passages exact, \(repeated) repeated after a stall of the machine")
    }

    /// The reported losses are no fewer than the missing frames. The capture has no real-time priority here, so that sound is
    /// lost.
    @Test func countsMissingSamplesUnderLoad() async throws {
        let passage = try await Passage(pace: .realTime)
        let emitted = Self.noise(seconds: max(5, Self.seconds / 10))
        let microphone = passage.microphone
        try await passage.play(emitted) {
            // No load at the beginning and the end, so that the last gap is confirmed.
            try await eventually("it has begun") { microphone.played >= 16_000 }
            let loops = try (0..<8).map { _ in try ChildProcess(["sh", "-c", "while :; do :; done"]) }
            defer { for loop in loops { loop.kill() } }
            try await eventually("it ends soon", within: timeout + .seconds(Self.seconds)) {
                microphone.played >= emitted.count - 16_000
            }
        }
        let missing = try missing(of: emitted, in: passage.received)
        #expect(missing <= passage.dropped)
        print("beside eight busy loops: \(missing) missing, \(passage.dropped) counted")
    }

    /// The daemon's recogniser, in another process, receives the microphone's samples through the voice activity detector
    /// and the queue of passages.
    @Test func theRecogniserReceivesTheSamplesInTheirOrder() async throws {
        let folder = try TemporaryDirectory()
        let sound = folder.path(of: "sound")
        let engine = try await ScriptedEngineServer(
            at: "unix:\(folder.path)/engine.sock", mode: "keep", text: sound)
        try await withRig(secondPass(at: engine.address, preview: "scripted")) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            let speech = try Speech.john() + Speech.silence(3) + Speech.amiable()
            try await rig.say(speech + Speech.silence(1), into: microphone)
            let (_, text, details) = try await client.dictation.commit()
            #expect(details["dropouts"] == .uint64(0))
            let count = try await engine.count(of: "audio")
            let passages = try (0..<count).map { number in
                try WaveFile.rawSamples(of: "\(sound).\(number)")
            }
            #expect(passages.count >= 2)
            #expect(text.split(separator: " ").count == passages.count)
            // The microphone also emits silence before and after the speech.
            let emitted = Speech.silence(5) + speech + Speech.silence(5)
            var end = 0
            var missing: [Range<Int>] = []
            for (number, passage) in passages.enumerated() {
                let start = try #require(
                    Self.place(of: passage, in: emitted, from: end),
                    "passage \(number) is not what was emitted")
                missing.append(end..<start)
                end = start + passage.count
            }
            missing.append(end..<emitted.count)
            // Only quiet samples were not sent.
            for gap in missing {
                let loudest = emitted[gap].map { abs(Int($0)) }.max() ?? 0
                #expect(loudest < 1500, "\(gap) was not sent")
            }
        }
    }

    /// The position of these samples in the others, as one contiguous part; nil if they are not there.
    private static func place(of samples: [Int16], in others: [Int16], from start: Int) -> Int? {
        guard start <= others.count - samples.count, let sound = samples.firstIndex(where: { $0 != 0 }) else {
            return nil
        }
        return (start...others.count - samples.count).first { place in
            // Compares the beginning of the sound first, which differs at almost all positions.
            samples[sound...].prefix(8) == others[(place + sound)...].prefix(8)
                && samples[...] == others[place..<place + samples.count]
        }
    }

    /// - Returns: the times of losses, in microseconds of the monotonic clock.
    private func playInRealTime(seconds: Int) async throws -> [Range<Int>] {
        let passage = try await Passage(pace: .realTime)
        try await passage.prioritizeCapture()
        let emitted = Self.noise(seconds: seconds)
        let duration = try await passage.play(emitted)
        let received = passage.received
        #expect(
            Int((duration * 16000).rounded()) == received.count, "The detector got every received sample.")
        let missing = try missing(of: emitted, in: received)
        #expect(missing <= passage.dropped, "\(missing) frames are missing, \(passage.dropped) were counted")
        print("\(seconds) s: \(missing) missing, \(passage.dropped) counted")
        return passage.losses
    }

    /// The number of missing frames.
    private func missing(of emitted: [Int16], in received: [Int16]) throws -> Int {
        // No emitted sample is zero. PipeWire delivers zeroes for a missed cycle.
        let heard = received.filter { $0 != 0 }
        try #require(
            Self.isSubsequence(heard, of: emitted), "received samples are not those that were emitted")
        return emitted.count - heard.count
    }

    /// Whether all of these samples are in the others, in the same order.
    private static func isSubsequence(_ heard: [Int16], of emitted: [Int16]) -> Bool {
        var rest = emitted[...]
        for sample in heard {
            guard let place = rest.firstIndex(of: sample) else { return false }
            rest = rest[(place + 1)...]
        }
        return true
    }

    /// No sample is zero, so that silence differs from it, and no part repeats.
    private static func noise(seconds: Int) -> [Int16] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<seconds * 16000).map { _ in
            // Knuth's MMIX linear congruential generator.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int16(truncatingIfNeeded: Int(state >> 33) % 16000 - 8000) | 1
        }
    }
}

/// Detects stalls of the machine: threads with a higher priority than those of sound, one on each processor, run every five
/// milliseconds.
private struct StallDetector {
    /// The maximum delay in microseconds. A cycle of the graph, 20 ms, runs on three threads one after the other: of the
    /// microphone, the server and the capture.
    private static let longestDelay = 20_000 / 3

    private let process: ChildProcess

    init() throws {
        process = try ChildProcess([
            "cyclictest", "--smp", "--priority=95", "--interval=5000", "--quiet", "--default-system",
            "--spike=\(Self.longestDelay)",
        ])
    }

    /// The times in which a thread was late, from when it should have run to when it ran, in microseconds of the monotonic
    /// clock.
    func stalls() async throws -> [Range<Int>] {
        process.terminate()
        _ = try await process.exitStatus()
        let output = process.text(of: .output)
        guard output.contains("Max:") else {
            throw TestFailure(
                "cyclictest needs the right to real-time priority: \(process.text(of: .errors))")
        }
        return output.matches(of: /Spike: *(\d+): TS: *(\d+)/).compactMap { line in
            guard let delay = Int(line.1), let end = Int(line.2) else { return nil }
            return end - delay..<end
        }
    }
}

/// Microseconds of the monotonic clock.
private func monotonicTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
}

/// A virtual microphone, the real capture and a real transcription. Records the samples between the last two.
private final class Passage: Sendable {
    let microphone: DriverMicrophone
    private let server: PrivatePipeWire
    private let audio: AudioServer
    private let capture: Lock<Capture?>
    private let transcription: Transcription
    private let record = Record()

    private final class Record: Sendable {
        let state = Lock(State())

        struct State {
            var received: [Int16] = []
            var dropped = 0
            /// The times of losses, each from the earliest possible arrival of the lost sound to the report.
            var losses: [Range<Int>] = []
            /// The last two times at which samples arrived.
            var arrivals = [monotonicTime(), monotonicTime()]
            var captureThread: Int32?
            var isConnected = false
            var isFlowing = false
            /// Whether other samples than silence arrived.
            var isHeard = false
            var duration: Double?
        }
    }

    var received: [Int16] { record.state.withLock { $0.received } }
    var dropped: Int { record.state.withLock { $0.dropped } }
    var losses: [Range<Int>] { record.state.withLock { $0.losses } }
    /// Whether the silence after the played sound has arrived.
    var isSilentAgain: Bool { record.state.withLock { $0.received.last == 0 && $0.isHeard } }

    init(pace: DriverMicrophone.Pace) async throws {
        let server = try await PrivatePipeWire(isRealTime: pace == .realTime)
        let record = record
        transcription = try EngineCatalog(engines: [ScriptedEngine()]).open(
            TranscriptionRequest(engine: "scripted", language: "en-US")
        ) { event in
            if case .blockEnded(_, let duration) = event { record.state.withLock { $0.duration = duration } }
        }
        audio = AudioServer(
            connect: { try server.connect() },
            publish: { facts in record.state.withLock { $0.isConnected = facts.isServerAvailable } },
            report: { _ in },
            dataThreadStarted: { thread in record.state.withLock { $0.captureThread = thread } })
        self.server = server
        microphone = try DriverMicrophone("microphone", of: server, pace: pace)
        await audio.start()
        try await eventually("connected") { record.state.withLock { $0.isConnected } }
        capture = Lock(nil)
        let opened = await audio.open(
            CaptureRequest(target: NodeName("microphone")),
            samples: { [transcription] samples in
                transcription.append(samples)
                record.state.withLock { state in
                    state.received += samples
                    state.arrivals = [state.arrivals[1], monotonicTime()]
                    state.isHeard = state.isHeard || samples.contains { $0 != 0 }
                }
            },
            events: { event in
                record.state.withLock { state in
                    switch event {
                    case .flowing: state.isFlowing = true
                    case .dropped(let frames):
                        state.dropped += frames
                        // At most three cycles of the graph are in progress.
                        state.losses.append(state.arrivals[0] - 60_000..<monotonicTime())
                    default: break
                    }
                }
            })
        capture.withLock { $0 = opened }
        try await eventually("sound flows") { record.state.withLock { $0.isFlowing } }
    }

    /// SCHED_RESET_ON_FORK of sched_setscheduler(2), which Glibc declares with _GNU_SOURCE alone.
    private static let resetOnFork: Int32 = 0x4000_0000

    /// Gives the capture the real-time priority that the service gives it, and forgets what was lost before.
    func prioritizeCapture() async throws {
        let thread = try #require(record.state.withLock { $0.captureThread })
        let refusal = Lock<DesktopError?>(nil)
        RealTimeScheduling(sessionBus: nil, systemBus: .system).request(for: thread) { error in
            refusal.withLock { $0 = error }
        }
        try await eventually("the capture has real-time priority, or it was refused") {
            sched_getscheduler(thread) & ~Self.resetOnFork == SCHED_FIFO
                || refusal.withLock { $0 != nil }
        }
        if let error = refusal.withLock({ $0 }) { throw error }
        // A loss is reported with the next samples.
        let prioritized = received.count
        try await eventually("ten cycles of the graph since") { received.count >= prioritized + 3200 }
        record.state.withLock { state in
            state.dropped = 0
            state.losses = []
        }
    }

    /// Plays the samples, and closes the stream when all have arrived. Returns the duration in seconds of the transcription's
    /// block.
    @discardableResult
    func play(_ samples: [Int16], during: () async throws -> Void = {}) async throws -> Double {
        let end = microphone.played + samples.count
        microphone.play(samples)
        try await during()
        try await eventually("all has been heard", within: timeout + .seconds(samples.count / 8000)) {
            microphone.played >= end && isSilentAgain
        }
        await capture.withLock { $0 }?.close(.deliver)
        transcription.endBlock(1)
        try await eventually("the block has ended", within: timeout + .seconds(samples.count / 16000)) {
            record.state.withLock { $0.duration } != nil
        }
        transcription.close()
        await audio.stop()
        return record.state.withLock { $0.duration } ?? 0
    }
}
