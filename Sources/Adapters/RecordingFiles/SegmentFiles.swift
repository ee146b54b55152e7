internal import DictationCore
internal import EventLoop

/// The files of a recording, on the thread of its ``RecordingWriter``.
struct SegmentFiles {
    private struct Open {
        var segment: RecordedSegment
        var wave: GrowingWaveFile
    }

    /// Less than the second that a crash may cost, because sound is on its way for some time, too.
    private static let headerInterval = 0.75
    private static let syncInterval = 1.0

    private let target: RecordingTarget
    private let rate: Int
    private let tell: @Sendable (RecordingWriter.Event) -> Void
    private var open: Open?
    /// The single file, before its segment begins.
    private var single: GrowingWaveFile?
    /// Finished files that may have to be removed.
    private var finished: [Int: RecordingFolder.File] = [:]
    private var hasFailed = false
    private(set) var isFinished = false
    private var lastHeader = SuspendingClock.now
    private var lastSync = SuspendingClock.now

    init(
        _ target: RecordingTarget, rate: Int, tell: @escaping @Sendable (RecordingWriter.Event) -> Void
    ) {
        self.target = target
        self.rate = rate
        self.tell = tell
    }

    mutating func perform(_ command: RecordingWriter.Command) {
        if command == .finish {
            isFinished = true
            return tell(.finished)
        }
        guard !hasFailed else { return }
        do throws(RecordingError) {
            try carryOut(command)
        } catch {
            if case .open(let segment) = command, open == nil { return fail(error, at: segment) }
            fail(error)
        }
    }

    /// Seconds until the header must be written; infinite if it is up to date.
    var timeUntilHeader: Double {
        guard let open, open.wave.isHeaderOld else { return .infinity }
        return max(0, Self.headerInterval - Self.seconds(since: lastHeader))
    }

    /// Writes the header of the open file if it is due.
    mutating func refresh() {
        guard !hasFailed, open != nil, timeUntilHeader <= 0 else { return }
        do throws(RecordingError) {
            try open?.wave.writeHeader()
            lastHeader = .now
            guard Self.seconds(since: lastSync) >= Self.syncInterval else { return }
            try open?.wave.sync()
            lastSync = .now
        } catch {
            fail(error)
        }
    }

    /// Nothing more is written. What is in the open file stays, with a header that says so where that can be written.
    mutating func fail(_ error: RecordingError, at segment: RecordedSegment? = nil) {
        guard !hasFailed else { return }
        hasFailed = true
        var segment = segment
        if var open = open.take() {
            // Its own failure has the same cause as the one that is reported.
            try? open.wave.writeHeader()
            segment = open.segment
            segment?.frames = open.wave.frames
        }
        tell(.failed(error, at: segment))
    }

    private mutating func carryOut(_ command: RecordingWriter.Command) throws(RecordingError) {
        switch command {
        case .begin:
            if case .file(let file) = target { single = try GrowingWaveFile(file, rate: rate) }
        case .open(let segment): try begin(segment)
        case .write(let samples): try open?.wave.append(samples)
        case .truncate(let frames): try open?.wave.truncate(frames: frames)
        case .close(let segment): try close(segment)
        case .remove(let number): try remove(number)
        case .settle: finished = [:]
        case .finish: break
        }
    }

    private mutating func begin(_ segment: RecordedSegment) throws(RecordingError) {
        switch target {
        case .file:
            guard let wave = single.take() else { return }
            open = Open(segment: segment, wave: wave)
        case .folder(let folder):
            let (name, file) = try folder.create(segment.number)
            var named = segment
            named.name = name
            open = Open(segment: named, wave: try GrowingWaveFile(file, rate: rate))
            try folder.sync()
        }
        lastHeader = .now
    }

    private mutating func close(_ segment: RecordedSegment) throws(RecordingError) {
        guard open != nil else { return }
        try open?.wave.writeHeader()
        try open?.wave.sync()
        guard let open = open.take() else { return }
        if case .folder = target {
            finished[segment.number] = try RecordingFolder.File(open.segment.name, open.wave.file)
        }
        var segment = segment
        segment.name = open.segment.name
        tell(.closed(segment))
    }

    private mutating func remove(_ number: Int) throws(RecordingError) {
        guard case .folder(let folder) = target else { return }
        if let removed = open, removed.segment.number == number {
            open = nil
            try folder.remove(try RecordingFolder.File(removed.segment.name, removed.wave.file))
        } else if let file = finished.removeValue(forKey: number) {
            try folder.remove(file)
        }
    }

    private static func seconds(since instant: SuspendingClock.Instant) -> Double {
        (SuspendingClock.now - instant) / .seconds(1)
    }
}
