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
    private let report: @Sendable (RecordingWriter.Event) -> Void
    private var open: Open?
    /// The single file, before its segment begins.
    private var single: GrowingWaveFile?
    /// Finished files that may have to be removed.
    private var finished: [Int: FinishedFile] = [:]
    /// Nothing more is written. Files can still be removed, cut and closed.
    private var hasFailed = false
    private var hasFailedToRemove = false
    private(set) var isFinished = false
    private var lastHeader = SuspendingClock.now
    private var lastSync = SuspendingClock.now

    init(
        _ target: RecordingTarget, rate: Int, report: @escaping @Sendable (RecordingWriter.Event) -> Void
    ) {
        self.target = target
        self.rate = rate
        self.report = report
    }

    mutating func perform(_ command: RecordingWriter.Command) {
        if command == .finish {
            isFinished = true
            return report(.finished)
        }
        do throws(RecordingError) {
            switch command {
            case .begin, .open, .write: if !hasFailed { try write(command) }
            case .close(let segment): try close(segment)
            case .remove, .truncate, .settle, .finish: remove(command)
            }
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

    /// Nothing more is written. What is in the open file stays, with a header that says so where that can be written. The
    /// file of a folder is finished. A single file stays open, because it may have to be cut.
    mutating func fail(_ error: RecordingError, at segment: RecordedSegment? = nil) {
        guard !hasFailed else { return }
        hasFailed = true
        var segment = segment
        if var failed = open.take() {
            // Its own failure has the same cause as the one that is reported.
            try? failed.wave.writeHeader()
            segment = failed.segment
            segment?.frames = failed.wave.frames
            switch target {
            case .file: open = failed
            case .folder:
                finished[failed.segment.number] = FinishedFile(failed.segment.name, failed.wave.file)
            }
        }
        report(.failed(error, at: segment))
    }

    private mutating func write(_ command: RecordingWriter.Command) throws(RecordingError) {
        switch command {
        case .begin:
            if case .file(let file) = target { single = try GrowingWaveFile(file, rate: rate) }
        case .open(let segment): try begin(segment)
        case .write(let samples): try open?.wave.append(samples)
        case .truncate, .close, .remove, .settle, .finish: break
        }
    }

    /// A failure is told once, and does not end the recording.
    private mutating func remove(_ command: RecordingWriter.Command) {
        do throws(RecordingError) {
            switch command {
            case .truncate(let frames): try open?.wave.truncate(frames: frames)
            case .remove(let number): try remove(number)
            case .settle: finished = [:]
            case .begin, .open, .write, .close, .finish: break
            }
        } catch {
            guard !hasFailedToRemove else { return }
            hasFailedToRemove = true
            report(.notRemoved(error))
        }
    }

    private mutating func begin(_ segment: RecordedSegment) throws(RecordingError) {
        switch target {
        case .file:
            guard let wave = single.take() else { return }
            open = Open(segment: segment, wave: wave)
        case .folder(let folder):
            var named = segment
            let wave: GrowingWaveFile
            (named.name, wave) = try folder.create(segment.number, rate: rate)
            open = Open(segment: named, wave: wave)
            try folder.sync()
        }
        lastHeader = .now
    }

    private mutating func close(_ segment: RecordedSegment) throws(RecordingError) {
        guard open?.segment.number == segment.number else { return }
        if !hasFailed {
            try open?.wave.writeHeader()
            try open?.wave.sync()
        }
        guard let open = open.take() else { return }
        if case .folder = target {
            finished[segment.number] = FinishedFile(open.segment.name, open.wave.file)
        }
        var segment = segment
        segment.name = open.segment.name
        segment.frames = open.wave.frames
        report(.closed(segment))
    }

    private mutating func remove(_ number: Int) throws(RecordingError) {
        guard case .folder(let folder) = target else { return }
        if let removed = open, removed.segment.number == number {
            open = nil
            try folder.remove(try RecordingFile(removed.segment.name, removed.wave.file))
        } else if let file = finished.removeValue(forKey: number) {
            try folder.remove(file.state)
        }
    }

    private static func seconds(since instant: SuspendingClock.Instant) -> Double {
        (SuspendingClock.now - instant) / .seconds(1)
    }
}
