import DictationCore
import DictationSimulation
import Testing

/// Random sequences of questions, and invariants that hold in all of them.
@Suite struct QuestionHistoryTests {
    /// Follows the effects of a machine and checks invariants.
    private struct Watcher {
        var machine = QuestionMachine()
        var now: Duration = .zero
        var waiting: [CallID: Client] = [:]
        /// Connections whose request without waiting may hold a question open.
        var patient: Set<ClientName> = []
        var before: [QuestionID: Question] = [:]
        var storing: [QuestionID: Question] = [:]
        var answered = 0

        mutating func handle(_ event: QuestionMachine.Event) {
            for effect in machine.handle(event, at: now) { note(effect) }
            for user in QuestionHistoryTests.users {
                #expect(open(of: user).count <= QuestionMachine.limit)
            }
            #expect((machine.nextDeadline == nil) == before.isEmpty)
            // There is no question without a caller.
            let askers = Set(waiting.values.map(\.identity)).count + patient.count
            #expect(before.isEmpty || askers > 0)
            if before.isEmpty, storing.isEmpty { #expect(waiting.isEmpty) }
        }

        private func open(of user: UInt32) -> [Question] {
            (Array(before.values) + storing.values).filter { $0.identity.uid == user }
        }

        private mutating func note(_ effect: QuestionMachine.Effect) {
            switch effect {
            case .ask(let id, let question):
                #expect(before[id] == nil && storing[id] == nil && !question.resources.isEmpty)
                if question.identity.kind != .unknown {
                    let others = before.values.map(\.identity) + storing.values.map(\.identity)
                    #expect(!others.contains(question.identity), "two questions about one application")
                }
                before[id] = question
            case .withdraw(let id):
                #expect(before.removeValue(forKey: id) != nil)
            case .store(let id, let status, let question):
                #expect([.granted, .denied].contains(status) && question.identity.kind != .unknown)
                storing[id] = question
            case .allowOnce: break
            case .reply(let call, let client):
                #expect(waiting.removeValue(forKey: call) == client, "answered twice, or to another client")
                answered += 1
            case .refuse(let call, let refusal):
                let client = waiting.removeValue(forKey: call)
                #expect(client != nil, "answered twice")
                if let client, refusal.kind == .limitExceeded {
                    // Questions to other users do not count against this user's limit.
                    let own = open(of: client.identity.uid)
                    let unidentified = own.count { $0.identity.kind == .unknown }
                    #expect(
                        own.count == QuestionMachine.limit
                            || (client.identity.kind == .unknown
                                && unidentified == QuestionMachine.unidentifiedLimit)
                    )
                }
                answered += 1
            }
        }

        mutating func answer(_ id: QuestionID, _ decision: Decision?) {
            before[id] = nil
            handle(.answered(id, decision))
        }

        mutating func store(_ id: QuestionID, _ refusal: Refusal?) {
            storing[id] = nil
            handle(.stored(id, refusal))
        }
    }

    private static let users: [UInt32] = [1000, 1001]

    /// Most clients belong to the first user, whose questions reach the limit.
    private static let clients: [Client] = (0..<60).map { number in
        let user = users[number < 44 ? 0 : 1]
        let identity =
            number % 10 < 8
            ? Identity(uid: user, kind: .executable, id: "/usr/bin/\(number / 2)")
            : Identity(uid: user, kind: .unknown, id: "")
        return Client(name: ClientName(":1.\(number)"), identity: identity)
    }

    @Test(
        arguments: 0..<8 as Range<UInt64>)
    func everyCallHasOneAnswerAndApplicationsOneQuestion(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var watcher = Watcher()
        var calls: UInt64 = 0
        var asked = 0
        for _ in 0..<1000 {
            let client = Self.clients.randomElement(using: &random) ?? Self.clients[0]
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<50:
                calls += 1
                let resources: [[Resource]] = [[.speech], [.microphone], [.microphone, .speech]]
                let wanted = resources.randomElement(using: &random) ?? []
                if Bool.random(using: &random) {
                    asked += 1
                    watcher.waiting[CallID(rawValue: calls)] = client
                    watcher.handle(.asked(CallID(rawValue: calls), by: client, wanted))
                } else {
                    watcher.patient.insert(client.name)
                    watcher.handle(.asked(nil, by: client, wanted))
                }
            case 50..<70:
                guard let id = watcher.before.keys.sorted(by: <).randomElement(using: &random) else {
                    continue
                }
                watcher.answer(id, [nil, .allow, .deny, .allowOnce].randomElement(using: &random) ?? nil)
            case 70..<82:
                guard let id = watcher.storing.keys.sorted(by: <).randomElement(using: &random) else {
                    continue
                }
                watcher.store(id, Int.random(in: 0..<4, using: &random) == 0 ? Refusal(.fileWrite, "") : nil)
            case 82..<90:
                // Calls of a connection that is gone are not answered.
                let gone = watcher.waiting.filter { $0.value.name == client.name }
                for call in gone.keys { watcher.waiting[call] = nil }
                asked -= gone.count
                watcher.patient.remove(client.name)
                watcher.handle(.clientVanished(client.name))
            case 90..<94:
                watcher.handle(
                    .determined(
                        client.identity, [[.speech], [.microphone]].randomElement(using: &random) ?? []))
            case 94..<96:
                // Late answers to questions that were withdrawn.
                let id = QuestionID(rawValue: .random(in: 0...calls, using: &random))
                if watcher.before[id] == nil { watcher.handle(.answered(id, .allow)) }
            default:
                watcher.now += .seconds(Int.random(in: 0..<20, using: &random))
                watcher.handle(.tick)
            }
        }
        // In the end every call is answered.
        for id in watcher.storing.keys.sorted(by: <) { watcher.store(id, nil) }
        while let deadline = watcher.machine.nextDeadline {
            watcher.now = deadline
            watcher.handle(.tick)
        }
        #expect(watcher.waiting.isEmpty && watcher.before.isEmpty)
        #expect(watcher.answered == asked)
    }

}

extension QuestionID {
    fileprivate static func < (one: QuestionID, other: QuestionID) -> Bool { one.rawValue < other.rawValue }
}
