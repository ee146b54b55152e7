import DictationBus
import DictationCore
import EventLoop
import RecordingFiles

/// Records a session's sound: joins the ``Recording``, which counts, and the ``RecordingWriter``, which writes.
@EventLoopActor
final class SessionRecorder {
    private let writer: RecordingWriter
    private var recording: Recording
    private let report: @EventLoopActor (RecordingEvent) -> Void
    private var hasBegun = false
    /// Nothing more is recorded. Cancel still removes what was.
    private var hasFailed = false
    /// Nothing more goes to the writer.
    private var hasEnded = false
    private var isWriterFinished = false
    /// The session waits for the end of the writer.
    private var deadline: EventLoop.Timer?
    private var isClosed = false

    /// How long Stop waits for the disk.
    private static let timeout = Duration.seconds(5)

    /// - Parameters:
    ///   - writer: has accepted its descriptor.
    ///   - report: takes events of the recording.
    init(
        _ request: RecordingRequest, in place: Recording.Place, writer: RecordingWriter,
        report: @escaping @EventLoopActor (RecordingEvent) -> Void
    ) {
        self.writer = writer
        self.report = report
        recording = Recording(request, in: place)
    }

    /// The session has begun.
    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        writer.perform(.begin)
    }

    /// Frames per second of the samples.
    var rate: Int { recording.rate }

    func append(_ samples: [Int16]) {
        guard !hasEnded else { return }
        var position = 0
        for step in recording.append(frames: samples.count) {
            guard case .write(let frames) = step else {
                perform(step)
                continue
            }
            let isAll = frames == samples.count
            writer.perform(.write(isAll ? samples : Array(samples[position..<position + frames])))
            position += frames
        }
    }

    func perform(_ command: RecorderCommand) {
        switch command {
        case .gap(let cause, let seconds): recording.addGap(cause, seconds: seconds)
        case .endBlock(let number):
            guard !hasEnded else { return }
            let (steps, stretch) = recording.endBlock()
            for step in steps { perform(step) }
            if !hasFailed || stretch.frames > 0 { report(.blockEnded(number, stretch)) }
        case .discardBlock:
            guard !hasEnded else { return }
            for step in recording.discardBlock() { perform(step) }
        case .finish: finish()
        }
    }

    /// The session is over, and nobody waits for the recording's end.
    func close() {
        isClosed = true
        deadline?.cancel()
        end()
    }

    func handle(_ event: RecordingWriter.Event) {
        switch event {
        case .accepted, .refused: break
        case .closed(let segment):
            recording.close(segment)
            post(.segment(segment))
        case .failed(let error, let segment):
            if let kept = recording.fail(at: segment) { post(.segment(kept)) }
            fail(Refusal(.fileWrite, "\(error)"))
        case .notRemoved(let error): post(.notRemoved(Refusal(.fileWrite, "\(error)")))
        case .finished:
            isWriterFinished = true
            if deadline != nil { reportEnd() }
        }
    }

    private func perform(_ step: RecordingStep) {
        switch step {
        case .open(let segment): writer.perform(.open(segment))
        case .write: break
        case .truncate(let frames): writer.perform(.truncate(frames: frames))
        case .close(let segment): writer.perform(.close(segment))
        case .remove(let number): writer.perform(.remove(number: number))
        case .settle: writer.perform(.settle)
        case .full:
            fail(Refusal(.fileWrite, "The file of the recording has 2 GiB: the recording has ended."))
        }
    }

    private func fail(_ refusal: Refusal) {
        hasFailed = true
        post(.failed(refusal))
    }

    private func finish() {
        guard deadline == nil else { return }
        end()
        deadline = EventLoopActor.schedule(after: Self.timeout) { [weak self] in
            self?.fail(Refusal(.fileWrite, "The file system of the recording does not answer."))
            self?.reportEnd()
        }
        if isWriterFinished { reportEnd() }
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        for step in recording.finish() { perform(step) }
        writer.perform(.finish)
    }

    private func reportEnd() {
        deadline?.cancel()
        post(.finished(seconds: recording.whole.seconds))
    }

    private func post(_ event: RecordingEvent) {
        if !isClosed { report(event) }
    }
}
