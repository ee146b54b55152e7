import EventLoop
import Glibc

/// The decoders of a user. Each has its own thread, is leased to a session that has something to decode, and is kept
/// warm for a while afterwards. Requests wait in a queue, first come, first served.
public final class DecoderPool: Sendable {
    private struct Request {
        let lease: DecoderLease
        let source: DecoderSource
    }

    private struct State {
        /// All decoders, including those that are ending or stuck.
        var threads: [DecoderThread] = []
        /// Unused decoders, the latest used last.
        var idle: [DecoderThread] = []
        /// Decoders that were told to end.
        var ending: [DecoderThread] = []
        var waiting: [Request] = []
    }

    /// What to do after the lock was released.
    private enum Action {
        case run(DecoderThread, DecoderLease)
        case start(DecoderThread, DecoderLease)
        case retire(DecoderThread)
        case refuse(DecoderLease, RecognitionError)
    }

    /// A call into an engine that takes longer is stuck. Requests with the same settings are refused then.
    static let stuckAfter = Duration.seconds(60)
    /// Bytes of memory that must stay available for an additional decoder.
    static let memoryForHelpers = 1 << 29

    private let state = Lock(State())
    private let limit: Int
    /// In seconds.
    private let keepWarm: Double
    private let stuckAfter: Duration
    private let processors: Int
    /// In bytes.
    private let availableMemory: @Sendable () -> Int

    /// - Parameters:
    ///   - limit: maximum number of decoders, in use and warm. PocketSphinx with the en-us model takes 80 MB each.
    ///   - keepWarm: how long an unused decoder is kept. Loading en-us takes 0.2 s.
    public convenience init(limit: Int = 8, keepWarm: Duration = .seconds(120)) {
        self.init(limit: limit, keepWarm: keepWarm, stuckAfter: Self.stuckAfter)
    }

    init(
        limit: Int, keepWarm: Duration = .seconds(120), stuckAfter: Duration,
        processors: Int = sysconf(Int32(_SC_NPROCESSORS_ONLN)),
        availableMemory: @escaping @Sendable () -> Int = { MemoryUse().available }
    ) {
        self.limit = limit
        self.keepWarm = keepWarm / .seconds(1)
        self.stuckAfter = stuckAfter
        self.processors = processors
        self.availableMemory = availableMemory
    }

    /// Decoders in use and warm.
    public var count: Int { state.withLock { $0.threads.count } }
    /// Decoders kept warm.
    public var idleCount: Int { state.withLock { $0.idle.count } }
    /// Decoders that do not return from a call.
    var stuckCount: Int { state.withLock { $0.threads.count(where: isStuck) } }
    /// Whether sessions wait for a decoder.
    var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }
    /// Maximum number of decoders for one recording.
    var mostHelpers: Int { min(limit, processors) }

    /// Frees the warm decoders. Decoders in use are freed after their sessions as usual.
    public func freeIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            state.ending += state.idle
            return state.idle
        }
        for thread in idle { thread.retire() }
    }

    /// The error if every decoder is stuck, so that no session can start; otherwise nil.
    var refusal: RecognitionError? {
        guard stuckCount >= limit else { return nil }
        return RecognitionError(
            .limitExceeded,
            "All \(limit) decoders are stuck: stop the program that uses a large grammar, "
                + "or restart the service.")
    }

    /// Requests a decoder. A request that cannot be granted at once waits in the queue; an optional one is dropped.
    /// - Returns: whether it was granted at once.
    func request(_ lease: DecoderLease, of source: DecoderSource) -> Bool {
        if lease.isOptional && availableMemory() < Self.memoryForHelpers { return false }
        let (actions, isWaiting) = state.withLock { state in
            if lease.isOptional && !state.waiting.isEmpty { return ([Action](), true) }
            state.waiting.append(Request(lease: lease, source: source))
            let actions = match(&state)
            let isWaiting = state.waiting.contains { $0.lease === lease }
            if isWaiting && lease.isOptional { state.waiting.removeAll { $0.lease === lease } }
            return (actions, isWaiting)
        }
        carryOut(actions)
        return !isWaiting
    }

    /// Removes a request from the queue. A granted lease ends by itself.
    func cancel(_ lease: DecoderLease) {
        change { state in state.waiting.removeAll { $0.lease === lease } }
    }

    private func change(_ body: (inout State) -> Void) {
        carryOut(
            state.withLock { state in
                body(&state)
                return match(&state)
            })
    }

    /// Grants decoders to the queue, in order.
    private func match(_ state: inout State) -> [Action] {
        var actions: [Action] = []
        while let request = state.waiting.first {
            let key = request.source.key
            if state.threads.contains(where: { $0.key == key && isStuck($0) }) {
                actions.append(.refuse(request.lease, Self.tooSlow))
            } else if let index = idleIndex(for: request.source, state) {
                let thread = state.idle.remove(at: index)
                thread.lastVocabulary = request.source.settings.vocabulary
                actions.append(.run(thread, request.lease))
            } else if state.threads.count < limit {
                let thread = DecoderThread(request.source)
                state.threads.append(thread)
                actions.append(.start(thread, request.lease))
            } else {
                // The slot is free when its thread has ended.
                if state.ending.isEmpty, let oldest = state.idle.first {
                    state.idle.removeFirst()
                    state.ending.append(oldest)
                    actions.append(.retire(oldest))
                }
                return actions
            }
            state.waiting.removeFirst()
        }
        return actions
    }

    /// The decoder used last that can serve this; best is one that has the vocabulary already.
    private func idleIndex(for source: DecoderSource, _ state: State) -> Int? {
        let vocabulary = source.settings.vocabulary
        return state.idle.lastIndex { $0.key == source.key && $0.lastVocabulary == vocabulary }
            ?? state.idle.lastIndex { $0.key == source.key }
    }

    private func carryOut(_ actions: [Action]) {
        for action in actions {
            switch action {
            case .run(let thread, let lease): thread.run(lease)
            case .retire(let thread): thread.retire()
            case .refuse(let lease, let error): lease.refused(lease, error)
            case .start(let thread, let lease):
                do throws(RecognitionError) {
                    try thread.start()
                    thread.run(lease)
                } catch {
                    lease.refused(lease, error)
                    threadEnded(thread)
                }
            }
        }
    }

    private static let tooSlow = RecognitionError(
        .tooSlow, "The engine got stuck with this grammar or vocabulary: use a smaller one.")

    private func isStuck(_ thread: DecoderThread) -> Bool {
        thread.busySince.map { .now - $0 > stuckAfter } ?? false
    }

    // MARK: Called on the decoders' threads

    /// Seconds that the thread waits for its next lease.
    func leaseEnded(_ thread: DecoderThread) -> Double {
        change { $0.idle.append(thread) }
        return keepWarm
    }

    /// Whether the thread may end: no lease was granted to it meanwhile.
    func keptWarmLongEnough(_ thread: DecoderThread) -> Bool {
        state.withLock { state in
            guard let index = state.idle.firstIndex(where: { $0 === thread }) else { return false }
            state.ending.append(state.idle.remove(at: index))
            return true
        }
    }

    func threadEnded(_ thread: DecoderThread) {
        change { state in
            state.threads.removeAll { $0 === thread }
            state.ending.removeAll { $0 === thread }
        }
    }
}
