import CLinux
import EventLoop
import Glibc

/// The decoders of the process: each lives on a thread of its own, is kept warm for a while after its
/// session, and is freed then. Loading happens on the decoder's thread, so that nobody waits for another's.
public final class DecoderPool: Sendable {
    private struct State {
        var idle: [DecoderThread] = []
        var count = 0
        /// Those of them at work that help others' sessions, and take no place from one.
        var helping = 0
    }

    private let state = Lock(State())
    private let limit: Int
    /// In seconds.
    private let keepWarm: Double

    /// - Parameters:
    ///   - limit: decoders of sessions, in use and warm; those that help with recordings come on top, one less than
    ///     there are processors. PocketSphinx with the en-us model takes 80 MB each.
    ///   - keepWarm: how long a decoder outlives its session; loading en-us takes 0.2 s.
    public init(limit: Int = 8, keepWarm: Duration = .seconds(120)) {
        self.limit = limit
        self.keepWarm = keepWarm / .seconds(1)
    }

    /// Decoders in use and warm.
    public var count: Int { state.withLock { $0.count } }
    /// Decoders kept warm.
    public var idleCount: Int { state.withLock { $0.idle.count } }

    /// Frees the warm decoders; those in use are freed after their sessions as always.
    public func freeIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for thread in idle { thread.retire() }
    }

    /// Runs a session on a decoder's thread: on a warm one built alike, or on a new one.
    func run(
        _ engine: any Engine, _ settings: RecognizerSettings,
        _ session: @escaping @Sendable (DecoderSlot) -> Void
    ) throws(RecognitionError) {
        let key = DecoderKey(engine: engine.name, settings: settings)
        let (thread, retired, isNew) = state.withLock { state -> (DecoderThread?, DecoderThread?, Bool) in
            if let index = state.idle.lastIndex(where: { $0.key == key }) {
                return (state.idle.remove(at: index), nil, false)
            }
            if state.count - state.helping < limit {
                state.count += 1
                return (DecoderThread(key: key, pool: self), nil, true)
            }
            guard let oldest = state.idle.first else { return (nil, nil, false) }
            state.idle.removeFirst()
            state.count += 1
            return (DecoderThread(key: key, pool: self), oldest, true)
        }
        retired?.retire()
        guard let thread else {
            throw RecognitionError(
                .limitExceeded, "All \(limit) decoders are in use; stop a dictation or raise the limit.")
        }
        if isNew {
            do {
                try thread.start(engine, settings)
            } catch {
                state.withLock { $0.count -= 1 }
                throw error
            }
        }
        thread.run(session)
    }

    /// Runs the same work on decoders besides: one for each further processor, of all sessions together. Returns how
    /// many it runs on.
    func help(
        _ engine: any Engine, _ settings: RecognizerSettings,
        _ work: @escaping @Sendable (DecoderSlot) -> Void
    ) -> Int {
        let most = sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1
        var helpers = 0
        while claimHelp(upTo: most) {
            do {
                try run(engine, settings) { slot in
                    work(slot)
                    self.state.withLock { $0.helping -= 1 }
                }
            } catch {
                // Then it takes longer.
                state.withLock { $0.helping -= 1 }
                break
            }
            helpers += 1
        }
        return helpers
    }

    private func claimHelp(upTo most: Int) -> Bool {
        state.withLock { state in
            guard state.helping < most else { return false }
            state.helping += 1
            return true
        }
    }

    /// The seconds that the thread is to wait for its next session.
    fileprivate func sessionEnded(_ thread: DecoderThread) -> Double {
        state.withLock { $0.idle.append(thread) }
        return keepWarm
    }

    /// Whether the thread may end: not if a session was given to it meanwhile.
    fileprivate func keptWarmLongEnough(_ thread: DecoderThread) -> Bool {
        state.withLock { state in
            guard let index = state.idle.firstIndex(where: { $0 === thread }) else { return false }
            state.idle.remove(at: index)
            return true
        }
    }

    fileprivate func freed() {
        state.withLock { $0.count -= 1 }
    }
}

struct DecoderKey: Hashable, Sendable {
    var engine: String
    var settings: RecognizerSettings
}

/// The place of a recogniser on its thread: made when first used, replaced when it failed.
final class DecoderSlot {
    private let engine: any Engine
    private let settings: RecognizerSettings
    /// The recogniser, where one is loaded.
    private(set) var current: (any Recognizer)?

    init(_ engine: any Engine, _ settings: RecognizerSettings) {
        self.engine = engine
        self.settings = settings
    }

    func recognizer() throws(RecognitionError) -> any Recognizer {
        if let current { return current }
        let fresh = try engine.makeRecognizer(settings)
        current = fresh
        return fresh
    }

    /// The next ``recognizer()`` is a fresh one.
    func discard() {
        current = nil
    }
}

private final class DecoderThread: Sendable {
    private enum Message: Sendable {
        case session(@Sendable (DecoderSlot) -> Void)
        case retire
    }

    let key: DecoderKey
    private let pool: DecoderPool
    private let mailbox = Mailbox<Message>()

    init(key: DecoderKey, pool: DecoderPool) {
        self.key = key
        self.pool = pool
    }

    func start(_ engine: any Engine, _ settings: RecognizerSettings) throws(RecognitionError) {
        do {
            try OwnThread.start("decoder") { self.live(engine, settings) }
        } catch {
            throw RecognitionError(noThread: error)
        }
    }

    func run(_ session: @escaping @Sendable (DecoderSlot) -> Void) {
        mailbox.put(.session(session))
    }

    func retire() {
        mailbox.put(.retire)
    }

    private func live(_ engine: any Engine, _ settings: RecognizerSettings) {
        serve(DecoderSlot(engine, settings))
        // A decoder's memory is of many small pieces; without this most of it stays with the process.
        dictation_linux_trim_heap()
        pool.freed()
    }

    private func serve(_ slot: DecoderSlot) {
        var patience = Double.infinity
        while true {
            guard let messages = mailbox.take(within: patience) else {
                if patience.isFinite && pool.keptWarmLongEnough(self) { return }
                continue
            }
            for message in messages {
                switch message {
                case .session(let session):
                    session(slot)
                    patience = pool.sessionEnded(self)
                case .retire:
                    return
                }
            }
        }
    }
}
