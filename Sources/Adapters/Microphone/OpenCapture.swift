internal import DictationCore
internal import EventLoop

/// A capture that is open: its stream, how it fares, and who hears of it.
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
    /// What the stream multiplies its samples with.
    private var volume: Float = 1
    /// What is told later; nil while all is told at once.
    private var held: [CaptureEvent]?
    private var hasEnded = false
    /// Why it has to end, found while the server's events were being handled.
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

    /// No source was asked for by name.
    var followsDefault: Bool { request.target == nil }

    private var quietFrames: Int { request.quietFrames }

    /// The last source that fed it.
    var source: NodeName? { progress.source }

    var isFlowing: Bool { progress.isFlowing }

    /// How long nothing has come since the stream runs.
    var silence: Duration { lastSign.duration(to: .now) }

    /// Reads what waits, before a decision on ``silence``. A whole batch that waits means that the reader is late, as on
    /// a busy machine, and not the microphone; less may be the end of what the microphone brought.
    func inspect() {
        if stream.waitingFrames >= quietFrames { lastSign = .now }
        let before = lastSign
        read()
        lastSign = before
    }

    /// Hands over what has come.
    func read() { take(stream.read()) }

    func take(_ taken: [Int16]) {
        let dropped = stream.takeDropped()
        if !taken.isEmpty {
            lastSign = .now
            quiet.take(taken)
        }
        if !taken.isEmpty, progress.isMicrophone {
            tell(progress.arrive())
            samples(taken)
        }
        // That sound flows is told at once.
        if !taken.isEmpty { stream.batch(isFlowing ? quietFrames : 0, peak: quiet.peak) }
        if dropped > 0, progress.isMicrophone { events(.dropped(frames: dropped)) }
    }

    func feed(_ peer: Graph.Peer) { tell(progress.feed(peer)) }

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

    /// Multiplies the samples, from now on.
    func setVolume(_ volume: Float) {
        guard volume != self.volume else { return }
        self.volume = volume
        stream.setVolume(volume)
    }

    /// Goes on with another stream, as the one that it had brings nothing. Returns that one.
    func replace(_ stream: CaptureStream, _ watch: EventLoop.Watch) -> CaptureStream {
        volume = 1
        self.watch?.cancel()
        self.watch = watch
        lastSign = .now
        defer { self.stream = stream }
        return self.stream
    }

    func stall() { tell(progress.stall()) }

    /// Keeps what would be told, in its order, until ``release()``; samples are handed over all the same.
    func hold() { held = held ?? [] }

    func release() {
        let events = held ?? []
        held = nil
        for event in events { tell(event) }
    }

    /// Ends the stream and hands over, or not, what it has brought.
    func end(_ remainder: Capture.Remainder) {
        stream.stop()
        fallSilent(remainder)
    }

    /// Hands over, or not, what the stream has brought, and nothing any more.
    func fallSilent(_ remainder: Capture.Remainder) {
        held = nil
        defer { hasEnded = true }
        watch?.cancel()
        watchdog?.cancel()
        if remainder == .deliver { read() }
    }

    /// To be called once it has ended.
    func fail(_ failure: CaptureFailure) { events(.failed(failure)) }

    private func tell(_ event: CaptureEvent?) {
        guard let event, !hasEnded else { return }
        if held == nil { events(event) } else { held?.append(event) }
    }

    /// What WirePlumber's policy sends to a stream for which it finds no source. It links the stream when it
    /// does find one.
    private static func meansAbsence(_ message: String) -> Bool {
        ["no node available", "no target node available"].contains(message)
    }
}
