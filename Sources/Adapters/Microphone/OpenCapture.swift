internal import DictationCore
internal import EventLoop

/// An open capture: its stream, its state, and its handlers.
@EventLoopActor
final class OpenCapture {
    private(set) var stream: CaptureStream
    let request: CaptureRequest
    private let samples: @EventLoopActor ([Int16]) -> Void
    private let events: @EventLoopActor (CaptureEvent) -> Void
    private var progress = CaptureProgress()
    private var lastSign = SuspendingClock.now
    private var quiet = QuietLevel()
    var watch: EventLoop.Watch?
    var watchdog: EventLoop.Timer?
    /// The factor for the stream's samples.
    private var volume: Float = 1
    /// What is told later; nil while all is told at once.
    private var held: [CaptureEvent]?
    private var hasEnded = false
    /// What the stream was linked to last.
    private(set) var peer = Graph.Peer.none
    /// An error found while the server's events were handled.
    private(set) var failure: CaptureFailure?

    init(
        _ stream: CaptureStream, for request: CaptureRequest,
        samples: @escaping @EventLoopActor ([Int16]) -> Void,
        events: @escaping @EventLoopActor (CaptureEvent) -> Void
    ) {
        self.stream = stream
        self.request = request
        self.samples = samples
        self.events = events
    }

    /// No source was requested by name.
    var followsDefault: Bool { request.target == nil }

    private var quietFrames: Int { request.scaled(request.quietFrames) }

    /// The last source of the stream.
    var source: NodeName? { progress.source }

    var isFlowing: Bool { progress.isFlowing }

    /// Measures the silence from now on, because no samples could come before.
    func beginSilence() { lastSign = .now }

    /// Reads the buffer. Returns how long the running stream had delivered nothing before.
    ///
    /// A full batch means that the reader is late, as on a busy machine; less may be the last samples of the microphone.
    func inspect() -> Duration {
        let isLate = stream.waitingFrames >= max(1, quietFrames)
        let before = lastSign
        let silence = isLate ? .zero : before.duration(to: .now)
        // This may take as long as a stall.
        read()
        lastSign = isLate ? .now : before
        return silence
    }

    /// Delivers the new samples.
    func read() { deliver(stream.read()) }

    func deliver(_ read: [Int16]) {
        let dropped = stream.takeDropped()
        if !read.isEmpty {
            lastSign = .now
            quiet.measure(read, rate: request.rate)
        }
        if !read.isEmpty, progress.isMicrophone {
            report(progress.arrive())
            samples(read)
        }
        // Report at once that sound flows.
        if !read.isEmpty { stream.batch(isFlowing ? quietFrames : 0, peak: quiet.peak) }
        if dropped > 0, progress.isMicrophone {
            report(.dropped(frames: request.unscaled(dropped)))
        }
    }

    func feed(_ peer: Graph.Peer) {
        if peer != .none { self.peer = peer }
        report(progress.feed(peer))
    }

    func change(_ state: CaptureStream.State, hasSource: Bool) {
        progress.change(state)
        stream.batch(0, peak: 0)
        switch state {
        case .connecting, .paused:
            break
        case .streaming:
            lastSign = .now
        case .over:
            failure = .refused("The stream was removed from the audio server.")
        case .unavailable(let message) where hasSource && !Self.meansAbsence(message):
            failure = .refused(message)
        case .unavailable:
            stall()
        }
    }

    /// Sets the factor for further samples.
    func setVolume(_ volume: Float) {
        guard volume != self.volume else { return }
        self.volume = volume
        stream.setVolume(volume)
    }

    /// Continues with another stream, because the present one delivers nothing. Returns the present one.
    func replace(_ stream: CaptureStream, _ watch: EventLoop.Watch) -> CaptureStream {
        volume = 1
        self.watch?.cancel()
        self.watch = watch
        lastSign = .now
        defer { self.stream = stream }
        return self.stream
    }

    func stall() { report(progress.stall()) }

    /// Holds back events until ``release()``. Samples are still delivered.
    func hold() { held = held ?? [] }

    func release() {
        let events = held ?? []
        held = nil
        for event in events { report(event) }
    }

    /// Ends the stream and delivers or drops the buffered samples.
    func end(_ remainder: Capture.Remainder) {
        stream.stop()
        fallSilent(remainder)
    }

    /// Delivers or drops the buffered samples, and no more after that.
    func fallSilent(_ remainder: Capture.Remainder) {
        held = nil
        defer { hasEnded = true }
        watch?.cancel()
        watchdog?.cancel()
        if remainder == .deliver { read() }
    }

    /// Call after the end.
    func fail(_ failure: CaptureFailure) { events(.failed(failure)) }

    private func report(_ event: CaptureEvent?) {
        guard let event, !hasEnded else { return }
        // A loss is reported at once, unless it follows an event that is held back.
        let waits = if case .dropped = event { held?.isEmpty == false } else { held != nil }
        if waits { held?.append(event) } else { events(event) }
    }

    /// The error of WirePlumber's policy for a stream without a source. It links the stream when it finds one.
    private static func meansAbsence(_ message: String) -> Bool {
        ["no node available", "no target node available"].contains(message)
    }
}
