/// The questions that are before the user, and who waits for the answers.
///
/// One question about an application at a time: who asks meanwhile joins it, and is asked about what it lacks then
/// when that is allowed. Whoever asked may go away; when all have, the question is withdrawn. So it is when the
/// user does not answer in time, and then nothing was decided.
public struct QuestionMachine: Sendable {
    public enum Event: Hashable, Sendable {
        /// These resources are not determined. `call` waits for the answer; nil where nobody does.
        case asked(CallID?, by: Client, [Resource])
        /// The user has decided about these elsewhere: they need not be asked about any more.
        case determined(Identity, [Resource])
        case clientVanished(ClientName)
        /// Nil where the user, or everybody who could ask the user, decided nothing.
        case answered(QuestionID, Decision?)
        /// What was decided is on the disk, or could not be put there.
        case stored(QuestionID, Refusal?)
        /// ``QuestionMachine/nextDeadline`` has come.
        case tick
    }

    public enum Effect: Hashable, Sendable {
        case ask(QuestionID, Question)
        case withdraw(QuestionID)
        /// To be answered with ``Event/stored(_:_:)``.
        case store(QuestionID, PermissionStatus, Question)
        /// Allowed until the connection is gone, and its lingering session.
        case allowOnce(Client, [Resource])
        /// Decided or not: the call is answered with what is so now.
        case reply(CallID, to: Client)
        case refuse(CallID, Refusal)
    }

    /// Questions before one user at the same time, of all applications.
    public static let limit = 16
    /// Of them, those about connections of which nothing is known: each is somebody else, so that one program could
    /// take every place.
    public static let strangersLimit = 4
    /// How long the user has for an answer.
    public static let timeout: Duration = .seconds(60)

    fileprivate struct Open {
        let id: QuestionID
        let question: Question
        var askers: [Asker]
        let deadline: Duration
        /// What nobody has decided about elsewhere since.
        var undetermined: [Resource]
        /// The user has answered.
        var isDecided = false
        /// ...and said yes.
        var isAllowed = false
    }

    fileprivate struct Asker {
        let client: Client
        let call: CallID?
        var resources: [Resource]
    }

    private var open: [Open] = []
    private var lastID: UInt64 = 0

    public init() {}

    public var isIdle: Bool { open.isEmpty }

    /// When to come back with ``Event/tick``.
    public var nextDeadline: Duration? { open.lazy.filter { !$0.isDecided }.map(\.deadline).min() }

    /// Takes one event. The effects are to be carried out in order.
    public mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
        switch event {
        case .asked(let call, let client, let resources):
            ask(Asker(client: client, call: call, resources: resources), at: now)
        case .determined(let identity, let resources): determine(identity, resources, at: now)
        case .clientVanished(let name): forget(name)
        case .answered(let id, let decision): answer(id, decision, at: now)
        case .stored(let id, let refusal): settle(id, refusal, at: now)
        case .tick: open.filter { !$0.isDecided && $0.deadline <= now }.flatMap { giveUp($0.id, at: now) }
        }
    }

    private mutating func ask(_ asker: Asker, at now: Duration) -> [Effect] {
        let subject = Question.Subject(asker.client)
        if let index = open.firstIndex(where: { $0.question.subject == subject }) {
            open[index].join(asker)
            return []
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
        return subject.isApplication || others.count(where: { !$0.isStorable }) < Self.strangersLimit
    }

    private mutating func determine(
        _ identity: Identity, _ resources: [Resource], at now: Duration
    ) -> [Effect] {
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
        return [.withdraw(id)] + settle(id, nil, goesOn: true, at: now)
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
            return settle(id, nil, at: now)
        case .allow where question.isStorable:
            open[index].isDecided = true
            open[index].isAllowed = true
            return [.store(id, .granted, question)]
        case .deny where question.isStorable:
            open[index].isDecided = true
            return [.store(id, .denied, question)]
        case .deny:
            return settle(id, Refusal(.permissionDenied, "The user does not allow it."), at: now)
        case .allow, .allowOnce:
            var clients: Set<Client> = []
            let allowed = open[index].askers.map(\.client).filter { clients.insert($0).inserted }
            return allowed.map { .allowOnce($0, question.resources) } + settle(id, nil, goesOn: true, at: now)
        }
    }

    /// Answers everybody who waits.
    /// - Parameter goesOn: whoever joined and wants more than was asked about has that asked next.
    private mutating func settle(
        _ id: QuestionID, _ refusal: Refusal?, goesOn: Bool = false, at now: Duration
    ) -> [Effect] {
        guard let index = open.firstIndex(where: { $0.id == id }) else { return [] }
        let settled = open.remove(at: index)
        let goesOn = goesOn || settled.isAllowed && refusal == nil
        return settled.askers.flatMap { asker -> [Effect] in
            var rest = asker
            rest.resources.removeAll { settled.question.resources.contains($0) }
            if goesOn, !rest.resources.isEmpty { return ask(rest, at: now) }
            guard let call = asker.call else { return [] }
            return [refusal.map { .refuse(call, $0) } ?? .reply(call, to: asker.client)]
        }
    }

    private mutating func giveUp(_ id: QuestionID, at now: Duration) -> [Effect] {
        [.withdraw(id)] + settle(id, nil, at: now)
    }
}

extension QuestionMachine.Open {
    /// Who does not wait needs to be remembered once.
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

/// Whether an application may have what it asks for.
public struct Question: Hashable, Sendable {
    /// About whom there is one question at a time.
    enum Subject: Hashable, Sendable {
        case application(Identity)
        /// Of this connection nothing is known: a decision about it is about nobody else.
        case connection(ClientName)

        init(_ client: Client) {
            self = client.identity.kind == .unknown ? .connection(client.name) : .application(client.identity)
        }

        var isApplication: Bool { if case .application = self { true } else { false } }
    }

    let subject: Subject
    public let identity: Identity
    public fileprivate(set) var resources: [Resource]

    /// The decision can be remembered, because it is clear about whom it was.
    var isStorable: Bool { subject.isApplication }
}
