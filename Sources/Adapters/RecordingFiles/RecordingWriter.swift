public import DictationCore
public import EventLoop

/// Writes the files of a recording on its own thread. The file systems behind descriptors can block; only that thread waits.
public final class RecordingWriter: Sendable {
    public enum Command: Hashable, Sendable {
        /// The session has begun: a single file gets its header.
        case begin
        case open(RecordedSegment)
        case write([Int16])
        case truncate(frames: Int)
        case close(RecordedSegment)
        case remove(number: Int)
        /// Finished files are not removed any more.
        case settle
        /// The last command.
        case finish
    }

    public enum Event: Hashable, Sendable {
        /// The descriptor can be used. The first event, unless it is ``refused(_:)``.
        case accepted(Recording.Place)
        /// The last event.
        case refused(RecordingError)
        /// With the frames that the file has.
        case closed(RecordedSegment)
        /// Nothing more is written. The file of this segment has this many frames, maybe none; nil if no file is concerned.
        /// Files can still be removed and cut until ``Command/finish``.
        case failed(RecordingError, at: RecordedSegment?)
        /// A file could not be removed or cut. Sent once.
        case notRemoved(RecordingError)
        /// The last event after ``Command/finish``.
        case finished
    }

    private enum Entry {
        case command(Command)
        /// There was no room for the sound here.
        case overflow
    }

    /// Clients can commit and cancel without end while the disk does not answer, so commands are merged and counted too.
    private struct Queue {
        var entries: [Entry] = []
        var bytes = 0
        /// Nothing more is written.
        var isOverfull = false
        private var lastOpened = 0

        /// The room that a command takes beside its samples.
        private static let entryBytes = 64

        mutating func add(_ command: Command, limit: Int) {
            switch command {
            case .write(let samples):
                if isOverfull { return }
                bytes += 2 * samples.count + Self.entryBytes
                isOverfull = bytes > limit
                if isOverfull { return entries.append(.overflow) }
            case .open(let segment):
                if isOverfull { return }
                lastOpened = segment.number
            case .close(let segment) where segment.number > lastOpened: return
            case .remove(let number) where number > lastOpened: return
            case .settle:
                if case .command(.settle)? = entries.last { return }
            case .truncate(let frames):
                if case .command(.truncate(let earlier))? = entries.last {
                    entries.removeLast()
                    return entries.append(.command(.truncate(frames: min(frames, earlier))))
                }
            case .begin, .close, .remove, .finish: break
            }
            entries.append(.command(command))
        }
    }

    /// Bytes of sound that wait for a slow disk: nearly four minutes at 16 kHz. With more the recording ends.
    public static let queueLimit = 8 << 20

    /// Commands that the thread has not taken yet.
    var waiting: Int { queue.withLock { $0.entries.count } }

    private let queue = Lock(Queue())
    private let wakeSignal = WakeSignal()
    private let limit: Int

    /// Starts the thread, which looks at the descriptor.
    /// - Parameters:
    ///   - takesFolder: whether the descriptor may be a folder.
    ///   - rate: frames a second.
    ///   - events: called on the writing thread. Kept until the thread has ended.
    /// - Throws: `.limitExceeded` if no thread can be started.
    public init(
        _ descriptor: Descriptor, takesFolder: Bool, rate: Int,
        queueLimit: Int = RecordingWriter.queueLimit, events: @escaping @Sendable (Event) -> Void
    ) throws(RecordingError) {
        limit = queueLimit
        do throws(EventLoopError) {
            try OwnThread.start("recording") { [self] in
                do throws(RecordingError) {
                    let target = try RecordingTarget(descriptor, takesFolder: takesFolder)
                    run(target, rate: rate, events)
                } catch {
                    events(.refused(error))
                }
            }
        } catch {
            throw RecordingError(
                .limitExceeded, "No thread could be started to write the recording: \(error)")
        }
    }

    /// Queues a command. Does not wait.
    public func perform(_ command: Command) {
        queue.withLock { $0.add(command, limit: limit) }
        wakeSignal.send()
    }

    private func run(_ target: RecordingTarget, rate: Int, _ events: @escaping @Sendable (Event) -> Void) {
        events(.accepted(target.place))
        var files = SegmentFiles(target, rate: rate, report: events)
        while !files.isFinished {
            let entries = take()
            if entries.isEmpty { wakeSignal.wait(within: files.timeUntilHeader) }
            for entry in entries {
                switch entry {
                case .command(let command): files.perform(command)
                case .overflow: files.fail(Self.tooSlow)
                }
            }
            files.refresh()
        }
    }

    private func take() -> [Entry] {
        queue.withLock { queue in
            defer {
                queue.entries = []
                queue.bytes = 0
            }
            return queue.entries
        }
    }

    private static let tooSlow = RecordingError(
        .write, "The recording's disk is too slow: the recording has ended.")
}
