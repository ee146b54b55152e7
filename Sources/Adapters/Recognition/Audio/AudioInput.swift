import CLinux
public import DictationCore
public import EventLoop
import Glibc

/// A file or pipe that is recognised instead of the microphone. Checked and read on its own thread, as fast as the
/// decoder takes it and in constant memory. Starts paused.
///
/// The file system behind a descriptor can block; only that thread waits for it.
public final class AudioInput: Sendable {
    public enum Event: Hashable, Sendable {
        /// The input was checked and may be audio; for a pipe the first bytes decide. The first event, unless it is
        /// ``refused(_:)``.
        /// - Parameter isRecorded: it is a regular file, so that all audio is there already.
        case accepted(isRecorded: Bool)
        /// The input is not audio or cannot be read. The last event.
        case refused(RecognitionError)
        /// Frames at 16 kHz that were passed to the transcription since the last such event, and what complete parts of them
        /// show.
        case read(frames: Int, [SoundMeasure])
        /// All audio was passed to the transcription.
        case ended
        case failed(RecognitionError)
    }

    private struct State {
        var runs = false
        var isCancelled = false
        var transcription: Transcription?
    }

    private static let chunk = 32_768

    private let file: Descriptor
    private var descriptor: Int32 { file.rawValue }
    private let state = Lock(State())
    private let wakeSignal: InputSignal
    private let events: @Sendable (Event) -> Void

    /// Starts checking the input.
    /// - Parameters:
    ///   - file: a regular file, a pipe or a socket.
    ///   - events: called on the reading thread. After ``cancel()`` has returned, at most a call in progress finishes.
    ///     Kept until the thread has ended.
    /// - Throws: `.limitExceeded` if no thread can be started, or in a shortage of descriptors.
    public init(
        _ file: Descriptor, events: @escaping @Sendable (Event) -> Void
    ) throws(RecognitionError) {
        self.file = file
        self.events = events
        // The thread keeps this alive until the input has ended or was cancelled.
        do {
            wakeSignal = try InputSignal()
            try OwnThread.start("audio-input") { self.run() }
        } catch {
            throw RecognitionError(noThread: error)
        }
    }

    /// Passes what is read from now on to this transcription.
    public func feed(_ transcription: Transcription) {
        change { $0.transcription = transcription }
    }

    public func resume() {
        change { $0.runs = true }
    }

    public func pause() {
        change { $0.runs = false }
    }

    public func cancel() {
        change { $0.isCancelled = true }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        wakeSignal.send()
    }

    /// - Returns: whether it is a regular file.
    private func examine() throws(RecognitionError) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw RecognitionError(
                .unreadable, "The input cannot be read: \(String(cString: strerror(errno))).")
        }
        switch status.st_mode & S_IFMT {
        case S_IFIFO, S_IFSOCK:
            return false
        case S_IFREG:
            var head = [UInt8](repeating: 0, count: 4096)
            let count = pread(descriptor, &head, head.count, max(lseek(descriptor, 0, SEEK_CUR), 0))
            guard count >= 0 else {
                throw RecognitionError(
                    .unreadable, "The input cannot be read: \(String(cString: strerror(errno))).")
            }
            var decoder = AudioDecoder()
            _ = try decoder.decode(head.prefix(count))
            if count < head.count { _ = try decoder.finish() }
            return true
        case S_IFDIR:
            throw RecognitionError(.unsupportedFormat, "The input is a folder; give a WAV or raw audio file.")
        default:
            throw RecognitionError(.unsupportedFormat, "The input is neither a file nor a pipe.")
        }
    }

    private func run() {
        do throws(RecognitionError) {
            report(.accepted(isRecorded: try examine()))
        } catch {
            return report(.refused(error))
        }
        read()
    }

    private func report(_ event: Event) {
        if !state.withLock({ $0.isCancelled }) { events(event) }
    }

    private func read() {
        do throws(RecognitionError) {
            if try pump() { events(.ended) }
        } catch {
            report(.failed(error))
        }
    }

    /// - Returns: false when cancelled.
    private func pump() throws(RecognitionError) -> Bool {
        var decoder = AudioDecoder()
        var meter = SoundMeter()
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        var samples: [Int16]?
        var isAtEnd = false
        while let transcription = waitUntilWanted() {
            if samples == nil {
                guard let count = try readSome(&bytes) else { continue }
                var decoded = try decoder.decode(bytes.prefix(count))
                isAtEnd = count == 0 || decoder.isAtEnd
                if isAtEnd { decoded += try decoder.finish() }
                samples = decoded
            }
            guard transcription.append(samples ?? []) else {
                forget(transcription)
                continue
            }
            let measures = meter.measure(samples ?? [], isAntiphase: decoder.isAntiphase)
            events(.read(frames: samples?.count ?? 0, measures))
            samples = nil
            if isAtEnd { return true }
            transcription.waitForRoom()
        }
        return false
    }

    /// A transcription that was closed takes no audio. Keep it for the next one.
    private func forget(_ transcription: Transcription) {
        state.withLock { state in
            if state.transcription === transcription { state.transcription = nil }
        }
    }

    /// The transcription to feed; nil if cancelled.
    private func waitUntilWanted() -> Transcription? {
        while true {
            let (transcription, isCancelled) = state.withLock { state in
                (state.runs ? state.transcription : nil, state.isCancelled)
            }
            if isCancelled { return nil }
            if let transcription { return transcription }
            wakeSignal.wait()
        }
    }

    /// - Returns: 0 at the end; nil if the state has to be checked first.
    private func readSome(_ bytes: inout [UInt8]) throws(RecognitionError) -> Int? {
        guard wakeSignal.waitForInput(on: descriptor) else { return nil }
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        if count >= 0 { return count }
        if errno == EINTR || errno == EAGAIN { return nil }
        throw RecognitionError(.unreadable, "Reading the input failed: \(String(cString: strerror(errno))).")
    }
}
