import DBus
import DictationBus
import DictationCore
import EventLoop

/// A session of the worker itself, which recognises a file for one of its client's calls. It has its client's permission, but
/// neither its connection nor its signals.
@EventLoopActor
final class OwnSession {
    let id: SessionID
    let client: Client
    /// The connection whose call it works for.
    let caller: BusName
    let call: CallID
    private var finals: [FinishedBlock] = []
    private var failure: Refusal?
    private var result: Result<[FinishedBlock], Refusal>?
    private var waiter: CheckedContinuation<Result<[FinishedBlock], Refusal>, Never>?

    /// Not a unique name on the bus: nobody has it.
    private static let prefix = "dictation."

    init(_ id: SessionID, for identity: Identity, calling caller: BusName) {
        self.id = id
        self.caller = caller
        client = Client(name: ClientName("\(Self.prefix)\(id.rawValue)"), identity: identity)
        // No call of a client has such a number.
        call = CallID(rawValue: .max - id.rawValue)
    }

    /// The texts, when it has ended.
    func texts() async throws(Refusal) -> [FinishedBlock] {
        try await withCheckedContinuation { continuation in
            if let result { return continuation.resume(returning: result) }
            waiter = continuation
        }.get()
    }

    func handle(_ signal: SessionSignal) {
        switch signal {
        case .final(let block): finals.append(block)
        case .error(let refusal): failure = failure ?? refusal
        case .stopped: end(finals.isEmpty ? failure.map { .failure($0) } ?? .success([]) : .success(finals))
        default: break
        }
    }

    func refuse(_ refusal: Refusal) { end(.failure(refusal)) }

    private func end(_ result: Result<[FinishedBlock], Refusal>) {
        guard self.result == nil else { return }
        self.result = result
        waiter.take()?.resume(returning: result)
    }
}

extension UserDictation {
    /// Recognises a file that is being read. Returns its texts.
    /// - Parameters:
    ///   - options: with an input.
    ///   - identity: the application of the caller, who has permission.
    func recognise(
        _ file: Descriptor, as session: SessionID, _ options: StartOptions, for identity: Identity,
        calling caller: BusName, lease: Budgets.Lease
    ) async throws(Refusal) -> [FinishedBlock] {
        let own = OwnSession(session, for: identity, calling: caller)
        ownSessions[session] = own
        defer {
            // The machine knows nothing of it any more.
            post(.clientVanished(own.client.name))
            dropUnusedInput(of: session)
            ownSessions[session] = nil
        }
        try examineInput(file, for: session, lease: lease) { [weak self] result in
            switch result {
            case .failure(let refusal): own.refuse(refusal)
            case .success(let isRecorded):
                var options = options
                options.hasInput = true
                options.transcription.isRecorded = isRecorded
                options.transcription.inputWaits = true
                self?.post(.allowedOnce(own.client, Resource.dictation))
                self?.post(.call(own.call, from: own.client, .start(session, options)))
            }
        }
        return try await own.texts()
    }

    /// Takes what the machine has for a session of the worker itself.
    /// - Returns: whether it was.
    func handleOwn(_ effect: Effect) -> Bool {
        guard !ownSessions.isEmpty else { return false }
        switch effect {
        case .signal(let signal, let session, _):
            guard let own = ownSessions[session] else { return false }
            own.handle(signal)
        case .refuse(let call, let refusal):
            guard let own = ownSessions.values.first(where: { $0.call == call }) else { return false }
            own.refuse(refusal)
        case .reply(let call, _): return ownSessions.values.contains { $0.call == call }
        default: return false
        }
        return true
    }

    /// Ends the worker's own sessions for an application that may not dictate any more. Other sessions wait for the permission;
    /// these have nobody who would see that.
    func endOwnSessions(of identity: Identity, _ refusal: Refusal) {
        for own in ownSessions.values where own.client.identity == identity { own.refuse(refusal) }
    }

    /// Ends the worker's own sessions for a connection that has left.
    func endOwnSessions(of caller: BusName) {
        for own in ownSessions.values where own.caller == caller {
            own.refuse(Refusal(.cancelled, "The caller has left."))
        }
    }

    /// Ends the worker's own sessions, because it ends.
    func endOwnSessions() {
        for own in ownSessions.values { own.refuse(Refusal(.cancelled, "The service is ending.")) }
    }
}
