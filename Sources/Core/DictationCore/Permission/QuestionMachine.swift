/// The open permission questions of a user, and the callers that wait for the answers.
///
/// There is one open question per application. Later requests of the application join it; if the user allows it,
/// resources that were not part of the question are asked about next. A question is withdrawn when all its callers have
/// disconnected or the user does not answer in time. Then nothing is decided.
///
/// An application whose question the user has dismissed, or left without an answer, is not asked about again at once: see
/// ``DismissedQuestions``.
public struct QuestionMachine: Sendable {
    public enum Event: Hashable, Sendable {
        /// These resources are not determined. The call waits for the answer; nil if none does.
        case asked(CallID?, by: Client, [Resource])
        /// The user has decided about these elsewhere. They are no longer part of a question.
        case determined(Identity, [Resource])
        /// The user's decision about this application was deleted.
        case forgotten(Identity)
        case clientVanished(ClientName)
        /// Nil if the user decided nothing.
        case answered(QuestionID, Decision?)
        /// No agent could ask.
        case unasked(QuestionID)
        /// The decision was stored, or storing failed.
        case stored(QuestionID, Refusal?)
        /// ``QuestionMachine/nextDeadline`` has come.
        case tick
    }

    public enum Effect: Hashable, Sendable {
        case ask(QuestionID, Question)
        case withdraw(QuestionID)
        /// ``Event/stored(_:_:)`` follows.
        case store(QuestionID, PermissionStatus, Question)
        /// Allowed until the connection closes and its lingering session ends.
        case allowOnce(Client, [Resource])
        /// Reply with the present permission, decided or not.
        case reply(CallID, to: Client)
        case refuse(CallID, Refusal)
    }

    /// Open questions of one user, about all applications.
    public static let limit = 16
    /// Open questions of one user about unidentified connections. They cannot be joined, so one program could open many.
    public static let unidentifiedLimit = 4
    /// How long the user has for an answer.
    public static let timeout: Duration = .seconds(60)

    fileprivate struct Open {
        let id: QuestionID
        let question: Question
        var askers: [Asker]
        let deadline: Duration
        /// The resources that were not decided about elsewhere.
        var undetermined: [Resource]
        /// The user has answered.
        var isDecided = false
        /// The user has allowed it.
        var isAllowed = false
    }

    fileprivate struct Asker {
        let client: Client
        let call: CallID?
        var resources: [Resource]
    }

    private var open: [Open] = []
    private var dismissed = DismissedQuestions()
    private var lastID: UInt64 = 0

    public init() {}

    public var isIdle: Bool { open.isEmpty }

    /// When to come back with ``Event/tick``.
    public var nextDeadline: Duration? { open.lazy.filter { !$0.isDecided }.map(\.deadline).min() }

    /// Takes one event. Carry out the effects in order.
    public mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
        switch event {
        case .asked(let call, let client, let resources):
            ask(Asker(client: client, call: call, resources: resources), at: now)
        case .determined(let identity, let resources): determine(identity, resources, at: now)
        case .forgotten(let identity): forget(identity)
        case .clientVanished(let name): forget(name)
        case .answered(let id, let decision): answer(id, decision, at: now)
        case .unasked(let id): isOpen(id) ? close(id, nil, at: now) : []
        case .stored(let id, let refusal): close(id, refusal, at: now)
        case .tick: open.filter { !$0.isDecided && $0.deadline <= now }.flatMap { dismiss($0.id, at: now) }
        }
    }

    private func isOpen(_ id: QuestionID) -> Bool { open.contains { $0.id == id && !$0.isDecided } }

    private mutating func ask(_ asker: Asker, at now: Duration) -> [Effect] {
        let subject = Question.Subject(asker.client)
        if let index = open.firstIndex(where: { $0.question.subject == subject }) {
            open[index].join(asker)
            return []
        }
        guard dismissed.mayAsk(asker.client.identity, at: now) else {
            return asker.call.map { [.reply($0, to: asker.client)] } ?? []
        }
        guard hasRoom(for: subject, ofUser: asker.client.identity.uid) else {
            let refusal = Refusal(
                .limitExceeded, "Too many questions are before the user: ask again later.")
            return asker.call.map { [.refuse($0, refusal)] } ?? []
        }
        lastID += 1
        let id = QuestionID(rawValue: lastID)
        let question = Question(subject: subject, identity: asker.client.identity, resources: asker.resources)
        open.append(
            Open(
                id: id, question: question, askers: [asker], deadline: now + Self.timeout,
                undetermined: asker.resources))
        return [.ask(id, question)]
    }

    private func hasRoom(for subject: Question.Subject, ofUser uid: UInt32) -> Bool {
        let others = open.lazy.map(\.question).filter { $0.identity.uid == uid }
        guard others.count < Self.limit else { return false }
        return subject.isApplication || others.count(where: { !$0.isStorable }) < Self.unidentifiedLimit
    }

    /// It is asked about again at once, also if its last question was dismissed.
    private mutating func forget(_ identity: Identity) -> [Effect] {
        dismissed.forget(identity)
        return []
    }

    private mutating func determine(
        _ identity: Identity, _ resources: [Resource], at now: Duration
    ) -> [Effect] {
        dismissed.forget(identity)
        guard
            let index = open.firstIndex(where: {
                $0.question.subject == .application(identity) && !$0.isDecided
            })
        else { return [] }
        open[index].undetermined.removeAll { resources.contains($0) }
        for asker in open[index].askers.indices {
            open[index].askers[asker].resources.removeAll { resources.contains($0) }
        }
        guard open[index].undetermined.isEmpty else { return [] }
        let id = open[index].id
        return [.withdraw(id)] + close(id, nil, goesOn: true, at: now)
    }

    private mutating func forget(_ name: ClientName) -> [Effect] {
        for index in open.indices { open[index].askers.removeAll { $0.client.name == name } }
        let abandoned = open.filter { $0.askers.isEmpty && !$0.isDecided }
        open.removeAll { $0.askers.isEmpty && !$0.isDecided }
        return abandoned.map { .withdraw($0.id) }
    }

    private mutating func answer(_ id: QuestionID, _ decision: Decision?, at now: Duration) -> [Effect] {
        guard let index = open.firstIndex(where: { $0.id == id && !$0.isDecided }) else { return [] }
        var question = open[index].question
        question.resources = open[index].undetermined
        switch decision {
        case nil:
            dismissed.add(question.identity, at: now)
            return close(id, nil, at: now)
        case .allow where question.isStorable:
            open[index].isDecided = true
            open[index].isAllowed = true
            return [.store(id, .granted, question)]
        case .deny where question.isStorable:
            open[index].isDecided = true
            return [.store(id, .denied, question)]
        case .deny:
            dismissed.add(question.identity, at: now)
            return close(id, Refusal(.permissionDenied, "The user does not allow it."), at: now)
        case .allow, .allowOnce:
            dismissed.forget(question.identity)
            var clients: Set<Client> = []
            let allowed = open[index].askers.map(\.client).filter { clients.insert($0).inserted }
            return allowed.map { .allowOnce($0, question.resources) } + close(id, nil, goesOn: true, at: now)
        }
    }

    /// Replies to all callers of a question.
    /// - Parameter goesOn: ask next about further resources of those that joined.
    private mutating func close(
        _ id: QuestionID, _ refusal: Refusal?, goesOn: Bool = false, at now: Duration
    ) -> [Effect] {
        guard let index = open.firstIndex(where: { $0.id == id }) else { return [] }
        let closed = open.remove(at: index)
        let goesOn = goesOn || closed.isAllowed && refusal == nil
        return closed.askers.flatMap { asker -> [Effect] in
            var rest = asker
            rest.resources.removeAll { closed.question.resources.contains($0) }
            if goesOn, !rest.resources.isEmpty { return ask(rest, at: now) }
            guard let call = asker.call else { return [] }
            return [refusal.map { .refuse(call, $0) } ?? .reply(call, to: asker.client)]
        }
    }

    private mutating func dismiss(_ id: QuestionID, at now: Duration) -> [Effect] {
        if let question = open.first(where: { $0.id == id })?.question {
            dismissed.add(question.identity, at: now)
        }
        return [.withdraw(id)] + close(id, nil, at: now)
    }
}

extension QuestionMachine.Open {
    /// A client that does not wait for the answer is listed once.
    fileprivate mutating func join(_ asker: QuestionMachine.Asker) {
        guard asker.call == nil,
            let index = askers.firstIndex(where: { $0.call == nil && $0.client == asker.client })
        else { return askers.append(asker) }
        askers[index].resources += asker.resources.filter { !askers[index].resources.contains($0) }
    }
}

/// Number of a question, unique while the service runs.
public struct QuestionID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A question to the user: whether an application may use these resources.
public struct Question: Hashable, Sendable {
    /// There is one open question per subject.
    enum Subject: Hashable, Sendable {
        case application(Identity)
        /// The application is not identified. A decision holds for this connection only.
        case connection(ClientName)

        init(_ client: Client) {
            self = client.identity.kind == .unknown ? .connection(client.name) : .application(client.identity)
        }

        var isApplication: Bool { if case .application = self { true } else { false } }
    }

    let subject: Subject
    public let identity: Identity
    public fileprivate(set) var resources: [Resource]

    /// Whether the decision can be stored: the application is identified.
    var isStorable: Bool { subject.isApplication }
}
