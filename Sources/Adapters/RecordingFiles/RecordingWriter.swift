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
        case closed(RecordedSegment)
        /// Nothing more is written. The file of this segment has this many frames, maybe none; nil if no file is concerned.
        case failed(RecordingError, at: RecordedSegment?)
        /// The last event after ``Command/finish``.
        case finished
    }

    private enum Entry {
        case command(Command)
        /// There was no room for the sound here.
        case overflow
    }

    private struct Queue {
        var entries: [Entry] = []
        var bytes = 0
        var isOverfull = false
    }

    /// Bytes of sound that wait for a slow disk: four minutes at 16 kHz. With more the recording ends.
    public static let queueLimit = 8 << 20

    private let queue = Lock(Queue())
    private let bell = WakeSignal()
    private let limit: Int

    /// Starts the thread, which looks at the descriptor.
    /// - Parameters:
    ///   - takesFolder: whether the descriptor may be a folder.
    ///   - rate: frames a second.
    ///   - events: called on the writing thread. Kept until the thread has ended.
    /// - Throws: `.limitExceeded` if no thread can be started.
    public init(
        _ descriptor: Descriptor, takesFolder: Bool, rate: Int = RecordingRequest.rate,
        queueLimit: Int = RecordingWriter.queueLimit, events: @escaping @Sendable (Event) -> Void
    ) throws(RecordingError) {
        limit = queueLimit
        do throws(EventLoopError) {
            try OwnThread.start("recording") { [self] in
                run(descriptor, takesFolder: takesFolder, rate: rate, events)
            }
        } catch {
            throw RecordingError(
                .limitExceeded, "No thread could be started to write the recording: \(error)")
        }
    }

    /// Queues a command. Does not wait.
    public func perform(_ command: Command) {
        queue.withLock { queue in
            if case .write(let samples) = command {
                guard !queue.isOverfull else { return }
                queue.bytes += 2 * samples.count
                queue.isOverfull = queue.bytes > limit
                if queue.isOverfull { return queue.entries.append(.overflow) }
            }
            queue.entries.append(.command(command))
        }
        bell.ring()
    }

    private func run(
        _ descriptor: Descriptor, takesFolder: Bool, rate: Int, _ events: @escaping @Sendable (Event) -> Void
    ) {
        let target: RecordingTarget
        do throws(RecordingError) {
            target = try RecordingTarget(descriptor, takesFolder: takesFolder)
        } catch {
            return events(.refused(error))
        }
        events(.accepted(target.place))
        var files = SegmentFiles(target, rate: rate, tell: events)
        while !files.isFinished {
            let entries = take()
            if entries.isEmpty { bell.wait(within: files.timeUntilHeader) }
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
