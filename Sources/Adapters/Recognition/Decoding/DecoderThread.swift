import CLinux
import DictationCore
import EventLoop

/// A decoder on its own thread, where it is loaded, used and freed.
final class DecoderThread: Sendable {
    private enum Message: Sendable {
        case lease(DecoderLease)
        case retire
    }

    let key: DecoderKey
    private let engine: any Engine
    private let pool: DecoderPool
    private let mailbox = Mailbox<Message>()
    private let watch = WorkWatch()
    /// The vocabulary of its last lease.
    private let vocabulary: Lock<[TranscriptionRequest.VocabularyEntry]>

    init(_ source: DecoderSource) {
        key = source.key
        engine = source.engine
        pool = source.pool
        vocabulary = Lock(source.settings.vocabulary)
    }

    var lastVocabulary: [TranscriptionRequest.VocabularyEntry] {
        get { vocabulary.withLock { $0 } }
        set { vocabulary.withLock { $0 = newValue } }
    }

    /// Start of the recogniser's present call; nil if there is none.
    var busySince: SuspendingClock.Instant? { watch.busySince }

    func start() throws(RecognitionError) {
        do {
            try OwnThread.start("decoder") { self.live() }
        } catch {
            throw RecognitionError(noThread: error)
        }
    }

    func run(_ lease: DecoderLease) {
        mailbox.put(.lease(lease))
    }

    func retire() {
        mailbox.put(.retire)
    }

    private func live() {
        serve(DecoderSlot(engine, key.settings, watch))
        // A decoder's memory consists of many small blocks; without this, most of it stays with the process.
        dictation_linux_trim_heap()
        pool.threadEnded(self)
    }

    private func serve(_ slot: DecoderSlot) {
        var timeout = Double.infinity
        while true {
            guard let messages = mailbox.take(within: timeout) else {
                if timeout.isFinite && pool.keptWarmLongEnough(self) { return }
                continue
            }
            for message in messages {
                switch message {
                case .lease(let lease):
                    lease.work(lease, slot)
                    timeout = pool.leaseEnded(self)
                    lease.ended(lease)
                case .retire:
                    return
                }
            }
        }
    }
}

/// Holds a recogniser on its thread: loads it on first use, and again after a failure.
final class DecoderSlot {
    private let engine: any Engine
    private let settings: RecognizerSettings
    private let watch: WorkWatch
    /// The words that the next segments may have besides those of the language.
    var vocabulary: [TranscriptionRequest.VocabularyEntry]
    /// What ``current`` has.
    private var usedVocabulary: [TranscriptionRequest.VocabularyEntry]
    /// The recogniser, if it is loaded.
    private(set) var current: (any Recognizer)?

    init(_ engine: any Engine, _ settings: RecognizerSettings, _ watch: WorkWatch) {
        self.engine = engine
        self.settings = settings
        self.watch = watch
        vocabulary = settings.vocabulary
        usedVocabulary = settings.vocabulary
    }

    func recognizer() throws(RecognitionError) -> any Recognizer {
        if let current, usedVocabulary == vocabulary { return current }
        let loaded = current
        // One that fails at a vocabulary is not used any more.
        current = nil
        let recognizer = try timed { () throws(RecognitionError) -> any Recognizer in
            if let loaded {
                try loaded.use(vocabulary)
                return loaded
            }
            var settings = settings
            settings.vocabulary = vocabulary
            return try engine.makeRecognizer(settings)
        }
        usedVocabulary = vocabulary
        current = recognizer
        return recognizer
    }

    /// The next ``recognizer()`` loads a new one.
    func discard() {
        current = nil
    }

    /// Whether the engine's present call is within the time limit.
    func showProgress() { watch.begin() }

    /// Runs one call into the engine, visibly to other threads.
    func timed<Result>(
        _ call: () throws(RecognitionError) -> Result
    ) throws(RecognitionError) -> Result {
        watch.begin()
        defer { watch.end() }
        return try call()
    }
}

/// How long the engine's present call has been running, for other threads.
final class WorkWatch: Sendable {
    private let since = Lock<SuspendingClock.Instant?>(nil)

    var busySince: SuspendingClock.Instant? { since.withLock { $0 } }

    func begin() {
        since.withLock { $0 = .now }
    }

    func end() {
        since.withLock { $0 = nil }
    }
}
