import DictationCore
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Microphone
import Recognition
import Testing

/// Every sample that a microphone emits enters the recogniser, once and in order.
@Suite struct FidelityTests {
    /// The whole is ten minutes: `packaging/soak audio`.
    static let seconds =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_SECONDS"].flatMap { Int($0) } ?? 4

    /// A cycle of the graph, 20 ms, passes from thread to thread three times: from the microphone's to the server's to
    /// the capture's.
    private static let bearableDelay = Duration.milliseconds(20) / 3

    @Test func fasterThanTimeTheGateGetsWhatWasEmitted() async throws {
        let passage = try await Passage(pace: .fast)
        let emitted = Self.noise(seconds: Self.seconds)
        let duration = try await passage.play(emitted)
        // A constant lag: silence before, and behind it every sample in its place.
        let received = passage.received
        let lag = try #require(received.firstIndex { $0 != 0 })
        #expect(Array(received[lag...].prefix(emitted.count)) == emitted)
        #expect(passage.dropped == 0)
        #expect(
            Int((duration * 16000).rounded()) == received.count, "The gate took in what the microphone gave.")
    }

    /// In passages, so short that most of them pass while a virtual machine's host lets it go on. One in which it stood
    /// still must be fully accounted for, and is played again.
    @Test func atTheRateOfTimeTheGateGetsWhatWasEmitted() async throws {
        let length = min(20, Self.seconds)
        let passages = Self.seconds / length
        var exact = 0
        var disturbed = 0
        while exact < passages {
            let witness = try Witness()
            let dropped = try await playAtTheRateOfTime(seconds: length)
            let delay = try await witness.longestDelay()
            print("the machine stood still for \(delay) at most")
            if dropped == 0 {
                exact += 1
            } else {
                try #require(
                    delay > Self.bearableDelay, "Lost while the machine went on: at most \(delay) late")
                disturbed += 1
                try #require(disturbed <= passages + 4, "The machine stands still too often.")
            }
        }
        print("\(exact) passages exact, \(disturbed) while the machine stood still")
    }

    @Test func besideBusyLoopsWhatIsMissingIsCounted() async throws {
        let loops = try (0..<2).map { _ in try ChildProcess(["sh", "-c", "while :; do :; done"]) }
        defer { for loop in loops { loop.kill() } }
        _ = try await playAtTheRateOfTime(seconds: max(4, Self.seconds / 10))
    }

    /// - Returns: the frames that were counted as dropped.
    private func playAtTheRateOfTime(seconds: Int) async throws -> Int {
        let passage = try await Passage(pace: .realTime)
        let emitted = Self.noise(seconds: seconds)
        let duration = try await passage.play(emitted)
        let received = passage.received
        #expect(
            Int((duration * 16000).rounded()) == received.count, "The gate took in what the microphone gave.")
        // Nothing of what was said is zero: where the machine was too busy for a cycle of the graph, silence stands.
        let heard = received.filter { $0 != 0 }
        let missing = emitted.count - heard.count
        #expect(Self.isLeft(heard, of: emitted), "It was heard as it was emitted, but for what is missing.")
        #expect(missing <= passage.dropped, "\(missing) frames are missing, \(passage.dropped) were counted")
        print("\(seconds) s: \(missing) missing, \(passage.dropped) counted")
        return passage.dropped
    }

    /// Whether these are samples of the others, in their order.
    private static func isLeft(_ heard: [Int16], of emitted: [Int16]) -> Bool {
        var rest = emitted[...]
        for sample in heard {
            guard let place = rest.firstIndex(of: sample) else { return false }
            rest = rest[(place + 1)...]
        }
        return true
    }

    /// No sample is zero, so that silence around them is told from them; and no stretch is like another.
    private static func noise(seconds: Int) -> [Int16] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<seconds * 16000).map { _ in
            // Knuth's MMIX linear congruential generator.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int16(truncatingIfNeeded: Int(state >> 33) % 16000 - 8000) | 1
        }
    }
}

/// Whether the machine went on: threads that go before those of sound, one on each processor.
private struct Witness {
    private let process: ChildProcess

    init() throws {
        process = try ChildProcess([
            "cyclictest", "--smp", "--priority=95", "--interval=5000", "--quiet", "--default-system",
        ])
    }

    /// The longest time by which any of them was late.
    func longestDelay() async throws -> Duration {
        process.terminate()
        _ = try await process.exitStatus()
        let delays = process.text(of: .output).matches(of: /Max: *(\d+)/).compactMap { Int($0.1) }
        guard let longest = delays.max() else {
            throw TestFailure(
                "cyclictest needs the right to real-time priority: \(process.text(of: .errors))")
        }
        return .microseconds(longest)
    }
}

/// From a virtual microphone through the real capture into a real transcriber, with a note of what passes.
private final class Passage: Sendable {
    let microphone: DriverMicrophone
    private let server: PrivatePipeWire
    private let loop: EventLoop
    private let audio: AudioServer
    private let capture: Lock<Capture?>
    private let transcriber: Transcriber
    private let record = Record()

    private final class Record: Sendable {
        let state = Lock(State())

        struct State {
            var received: [Int16] = []
            var dropped = 0
            var isConnected = false
            var isFlowing = false
            /// Something but silence came.
            var isHeard = false
            var duration: Double?
        }
    }

    var received: [Int16] { record.state.withLock { $0.received } }
    var dropped: Int { record.state.withLock { $0.dropped } }
    /// The silence behind what was said has come.
    var isSilentAgain: Bool { record.state.withLock { $0.received.last == 0 && $0.isHeard } }

    init(pace: DriverMicrophone.Pace) async throws {
        let server = try await PrivatePipeWire(isRealTime: pace == .realTime)
        let loop = try EventLoop(name: "fidelity")
        let record = record
        transcriber = EngineCatalog(engines: [ScriptedEngine()]).open(
            TranscriptionRequest(engine: "scripted", language: "en-US")
        ) { event in
            if case .blockEnded(_, let duration) = event { record.state.withLock { $0.duration = duration } }
        }
        audio = AudioServer(
            on: loop, connect: { try server.connect() },
            publish: { facts in record.state.withLock { $0.isConnected = facts.isServerAvailable } },
            report: { _ in })
        self.server = server
        self.loop = loop
        microphone = try DriverMicrophone("microphone", of: server, pace: pace)
        await audio.start()
        try await eventually("connected") { record.state.withLock { $0.isConnected } }
        capture = Lock(nil)
        let opened = await audio.open(
            CaptureRequest(target: NodeName("microphone")),
            samples: { [transcriber] samples in
                transcriber.append(samples)
                record.state.withLock { state in
                    state.received += samples
                    state.isHeard = state.isHeard || samples.contains { $0 != 0 }
                }
            },
            events: { event in
                record.state.withLock { state in
                    switch event {
                    case .flowing: state.isFlowing = true
                    case .dropped(let frames): state.dropped += frames
                    default: break
                    }
                }
            })
        capture.withLock { $0 = opened }
        try await eventually("sound flows") { record.state.withLock { $0.isFlowing } }
    }

    /// Plays, and closes the stream when all has been heard. Returns the seconds of sound that the gate took in.
    func play(_ samples: [Int16]) async throws -> Double {
        let end = microphone.played + samples.count
        microphone.play(samples)
        try await eventually("all has been heard", within: patience + .seconds(samples.count / 8000)) {
            microphone.played >= end && isSilentAgain
        }
        await capture.withLock { $0 }?.close(.deliver)
        transcriber.endBlock(1)
        try await eventually("the block has ended", within: patience + .seconds(samples.count / 16000)) {
            record.state.withLock { $0.duration } != nil
        }
        transcriber.close()
        await audio.stop()
        loop.shutDown()
        return record.state.withLock { $0.duration } ?? 0
    }
}
