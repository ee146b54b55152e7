public import DictationCore
import DictationTestKit
import Dispatch
import EventLoop
import Microphone

/// An audio server under test, with a record of its events.
final class Listener: Sendable {
    let server: AudioServer
    private let record: Record

    final class Record: Sendable {
        let facts = Lock<[AudioFacts]>([])
        let troubles = Lock<[MicrophoneError]>([])
    }

    convenience init(
        to pipewire: PrivatePipeWire, timing: AudioServer.Timing = AudioServer.Timing()
    ) async throws {
        try await self.init(timing: timing) { try pipewire.connect() }
    }

    init(
        timing: AudioServer.Timing = AudioServer.Timing(),
        connect: @escaping @Sendable () async throws -> Descriptor
    ) async throws {
        let record = Record()
        server = AudioServer(
            timing: timing, connect: connect,
            publish: { facts in record.facts.withLock { $0.append(facts) } },
            report: { trouble in record.troubles.withLock { $0.append(trouble) } })
        self.record = record
        await server.start()
    }

    func stop() async {
        await server.stop()
    }

    /// The latest facts.
    var facts: AudioFacts { record.facts.withLock { $0.last } ?? .serverLost }

    /// All facts, in order.
    var history: [AudioFacts] { record.facts.withLock { $0 } }

    var troubles: [MicrophoneError] { record.troubles.withLock { $0 } }

    /// Waits until the condition holds for the facts.
    func facts(_ what: String, where holds: (AudioFacts) -> Bool) async throws {
        do {
            try await eventually(what) { holds(facts) }
        } catch {
            throw TestFailure("\(error); facts: \(facts)")
        }
    }

    /// Opens a capture and waits until sound flows. Its ring is as long, for a microphone forty times faster
    /// than any real one, as a real one's.
    @discardableResult
    func openAndFlow(_ request: CaptureRequest = CaptureRequest(bufferedFrames: 1 << 21)) async throws
        -> Recording
    {
        try await facts("there is a default source") { $0.defaultSource != nil }
        let recording = await open(request)
        try await recording.events("sound flows") { $0.contains(.flowing) }
        return recording
    }

    /// Blocks the loop until the semaphore is signalled. Returns when it is blocked.
    func hold() async -> DispatchSemaphore {
        let semaphore = DispatchSemaphore(value: 0)
        await withCheckedContinuation { blocked in
            EventLoopActor.execute {
                blocked.resume()
                semaphore.wait()
            }
        }
        return semaphore
    }

    /// Opens a capture and records its samples and events.
    func open(_ request: CaptureRequest = CaptureRequest()) async -> Recording {
        let recording = Recording()
        let capture = await server.open(
            request,
            samples: { samples in
                recording.takeDelay()?()
                recording.take { $0.samples += samples }
            },
            events: { event in recording.take { $0.events.append(event) } })
        recording.take { $0.capture = capture }
        return recording
    }
}

/// Runs a test with a listener, and then ends it.
func withListener(
    to pipewire: PrivatePipeWire, timing: AudioServer.Timing = AudioServer.Timing(),
    _ body: (Listener) async throws -> Void
) async throws {
    let listener = try await Listener(to: pipewire, timing: timing)
    let result: Result<Void, any Error>
    do { result = .success(try await body(listener)) } catch { result = .failure(error) }
    await listener.stop()
    try result.get()
}

extension NodeName: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

/// The samples and events of a capture.
final class Recording: Sendable {
    struct State {
        var capture: Capture?
        var samples: [Int16] = []
        var events: [CaptureEvent] = []
        var delay: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    func take(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    var samples: [Int16] { state.withLock { $0.samples } }
    var events: [CaptureEvent] { state.withLock { $0.events } }

    var dropped: Int { events.dropped }

    /// The next samples are written down after this.
    func delay(_ body: @escaping @Sendable () -> Void) { take { $0.delay = body } }

    func takeDelay() -> (@Sendable () -> Void)? { state.withLock { $0.delay.take() } }

    func close(_ remainder: Capture.Remainder = .deliver) async {
        await state.withLock { $0.capture }?.close(remainder)
    }

    /// Frames captured, and frames lost and counted.
    var accounted: Int { state.withLock { $0.samples.count + $0.events.dropped } }

    /// Waits until the condition holds for the events.
    func events(_ what: String, where holds: ([CaptureEvent]) -> Bool) async throws {
        do {
            try await eventually(what) { holds(events) }
        } catch {
            throw TestFailure("\(error); events: \(events.prefix(20))")
        }
    }

    /// Waits until sound flows from this source.
    func flows(from source: NodeName) async throws {
        try await events("sound flows from \(source)") { $0.showFlow(from: source) }
    }

    /// Waits until sound flows from this source, and a second of it has come. A source that was just linked may begin
    /// before the server starts the stream, so that its first cycles are lost.
    func flowsSteadily(from source: NodeName) async throws {
        try await flows(from: source)
        let heard = samples.count
        try await eventually("a second of sound from \(source)") { samples.count >= heard + 16_000 }
    }

    /// Waits until these samples have arrived, complete and in order. Returns how many came before them.
    @discardableResult
    func find(_ expected: [Int16]) async throws -> Int {
        do {
            return try await eventuallySome("the samples") { position(of: expected) }
        } catch {
            throw TestFailure("\(error); \(samples.count) samples came, events: \(events.prefix(20))")
        }
    }

    /// The position of the expected samples, at the first that are not silence.
    private func position(of expected: [Int16]) -> Int? {
        let samples = samples
        guard let first = samples.firstIndex(where: { $0 != 0 }),
            let lead = expected.firstIndex(where: { $0 != 0 }), first >= lead
        else { return nil }
        let start = first - lead
        guard samples.count >= start + expected.count else { return nil }
        return samples[start...].starts(with: expected) ? start : nil
    }
}

/// The result of `find`, as soon as there is one.
func eventuallySome<Value>(_ what: String, _ find: () async throws -> Value?) async throws -> Value {
    var found: Value?
    try await eventually(what) {
        found = try await find()
        return found != nil
    }
    guard let found else { throw TestFailure(what) }
    return found
}

extension CaptureEvent {
    var isLink: Bool {
        if case .linked = self { true } else { false }
    }
}

extension [CaptureEvent] {
    var dropped: Int {
        reduce(0) { sum, event in
            if case .dropped(let frames) = event { sum + frames } else { sum }
        }
    }

    /// Whether sound flows from this source after them.
    func showFlow(from source: NodeName) -> Bool {
        last(where: \.isLink) == .linked(source) && withoutDrops.last == .flowing
    }

    /// Without what a busy machine may add.
    var withoutDrops: [CaptureEvent] {
        filter { if case .dropped = $0 { false } else { true } }
    }
}
