import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Microphone
import Recognition
import Testing

/// Every sample that a microphone emits enters the recogniser, once and in order.
@Suite struct FidelityTests {
    /// The whole is ten minutes: `packaging/soak audio`.
    static let seconds = ProcessInfo.processInfo.environment["DICTATION_SOAK_SECONDS"].flatMap { Int($0) } ?? 4

    @Test(arguments: [DriverMicrophone.Pace.realTime, .fast])
    func samplesReachTheGateAsTheyWereEmitted(pace: DriverMicrophone.Pace) async throws {
        let passage = try await Passage(pace: pace)
        let emitted = Self.noise(seconds: Self.seconds)
        let end = passage.microphone.played + emitted.count
        passage.microphone.play(emitted)
        try await eventually("all has been heard", within: patience + .seconds(2 * Self.seconds)) {
            passage.microphone.played >= end && passage.isSilentAgain
        }
        let duration = try await passage.end()
        let received = passage.received
        // A constant lag: silence before, and after it every sample in its place.
        let lag = try #require(received.firstIndex { $0 != 0 })
        #expect(Array(received[lag...].prefix(emitted.count)) == emitted)
        #expect(passage.dropped == 0)
        #expect(Int((duration * 16000).rounded()) == received.count, "The gate took in what the microphone gave.")
    }

    @Test func besideTwoBusyLoopsEveryMissingSampleIsCounted() async throws {
        let loops = try (0..<2).map { _ in try ChildProcess(["sh", "-c", "while :; do :; done"]) }
        defer { for loop in loops { loop.kill() } }
        let passage = try await Passage(pace: .realTime)
        let before = passage.microphone.emitted
        let emitted = Self.noise(seconds: Self.seconds)
        let end = passage.microphone.played + emitted.count
        passage.microphone.play(emitted)
        try await eventually("all has been said", within: patience + .seconds(4 * Self.seconds)) {
            passage.microphone.played >= end
        }
        _ = try await passage.end()
        #expect(passage.microphone.emitted > before)
        // What came is in order, and what did not come is counted: all of it or nothing at either end is within one
        // buffer of the graph.
        let received = passage.received
        let first = try #require(received.firstIndex { $0 != 0 })
        let last = try #require(received.lastIndex { $0 != 0 })
        let missing = emitted.count - (last - first + 1)
        #expect(missing >= 0)
        #expect(passage.dropped >= missing, "\(missing) frames are missing and \(passage.dropped) were counted")
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
        let server = try await PrivatePipeWire()
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

    /// Closes the stream. Returns the seconds of sound that the gate took in.
    func end() async throws -> Double {
        await capture.withLock { $0 }?.close(.deliver)
        transcriber.endBlock(1)
        try await eventually("the block has ended") { record.state.withLock { $0.duration } != nil }
        transcriber.close()
        await audio.stop()
        loop.shutDown()
        return record.state.withLock { $0.duration } ?? 0
    }
}
