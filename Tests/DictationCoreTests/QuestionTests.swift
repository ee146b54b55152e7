import DictationCore
import Testing

/// One open question per application; its answer replies to all callers that wait.
@Suite struct QuestionTests {
    private typealias Effect = QuestionMachine.Effect

    private var machine = QuestionMachine()
    private let both = Resource.dictation

    private mutating func ask(
        _ call: UInt64?, by client: Client, _ resources: [Resource]? = nil, at now: Duration = .zero
    ) -> [Effect] {
        machine.handle(
            .asked(call.map(CallID.init(rawValue:)), by: client, resources ?? both), at: now)
    }

    private mutating func handle(_ event: QuestionMachine.Event, at now: Duration = .zero) -> [Effect] {
        machine.handle(event, at: now)
    }

    private static let unknown = Client(
        name: ClientName(":1.70"), identity: Identity(uid: 1000, kind: .unknown, id: ""))
    private static let otherUnknown = Client(name: ClientName(":1.71"), identity: unknown.identity)
    /// Another connection of the editor.
    private static let editorAgain = Client(name: ClientName(":1.72"), identity: Client.editor.identity)

    private func reply(_ call: UInt64, _ client: Client) -> Effect {
        .reply(CallID(rawValue: call), to: client)
    }

    private func asked(_ effects: [Effect]) throws -> (id: QuestionID, question: Question) {
        guard case .ask(let id, let question) = effects.first, effects.count == 1 else {
            throw Unexpected(description: "\(effects)")
        }
        return (id, question)
    }

    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    @Test mutating func oneAnswerRepliesToAllPendingRequests() throws {
        let (id, question) = try asked(ask(1, by: .editor))
        #expect(question.identity == Client.editor.identity && question.resources == both)
        #expect(ask(2, by: Self.editorAgain) == [])
        let effects = handle(.answered(id, .allow))
        guard case .store(id, .granted, let stored) = effects.first else {
            throw Unexpected(description: "\(effects)")
        }
        #expect(effects.count == 1 && stored.resources == both)
        // No caller gets a reply before the decision is on the disk. Callers that ask until then get the same answer.
        #expect(ask(3, by: .editor) == [])
        #expect(
            handle(.stored(id, nil)) == [reply(1, .editor), reply(2, Self.editorAgain), reply(3, .editor)])
        #expect(machine.nextDeadline == nil)
    }

    @Test mutating func refusesWhatCannotBeStored() throws {
        let (id, _) = try asked(ask(1, by: .editor))
        _ = handle(.answered(id, .deny))
        let refusal = Refusal(.fileWrite, "no space")
        #expect(handle(.stored(id, refusal)) == [.refuse(CallID(rawValue: 1), refusal)])
        _ = try asked(ask(2, by: .editor))
    }

    @Test mutating func aJoinedRequestAsksForItsOtherResources() throws {
        let (first, _) = try asked(ask(1, by: .editor, [.speech]))
        #expect(ask(2, by: Self.editorAgain, both) == [])
        _ = handle(.answered(first, .allow))
        let effects = handle(.stored(first, nil), at: .seconds(5))
        guard effects.count == 2, case .ask(let second, let rest) = effects[1] else {
            throw Unexpected(description: "\(effects)")
        }
        #expect(effects[0] == reply(1, .editor) && rest.resources == [.microphone])
        #expect(machine.nextDeadline == .seconds(65))
        _ = handle(.answered(second, .deny))
        #expect(handle(.stored(second, nil)) == [reply(2, Self.editorAgain)])
    }

    @Test mutating func asksNothingMoreAfterADenial() throws {
        let (id, _) = try asked(ask(1, by: .editor, [.speech]))
        _ = ask(2, by: Self.editorAgain, both)
        _ = handle(.answered(id, .deny))
        #expect(handle(.stored(id, nil)) == [reply(1, .editor), reply(2, Self.editorAgain)])
    }

    @Test mutating func aQuestionIsWithdrawnWithItsLastRequest() throws {
        let (id, _) = try asked(ask(1, by: .editor))
        _ = ask(nil, by: Self.editorAgain)
        #expect(handle(.clientVanished(Client.editor.name)) == [])
        #expect(handle(.clientVanished(Self.editorAgain.name)) == [.withdraw(id)])
        #expect(handle(.answered(id, .allow)) == [])
        #expect(machine.nextDeadline == nil)
    }

    @Test mutating func storesAnAnswerAfterTheCallerLeft() throws {
        let (id, _) = try asked(ask(1, by: .editor))
        _ = handle(.answered(id, .allow))
        #expect(handle(.clientVanished(Client.editor.name)) == [])
        #expect(handle(.stored(id, nil)) == [])
        _ = try asked(ask(2, by: .editor))
    }

    @Test mutating func questionsTimeOutAfterAMinute() throws {
        let (id, _) = try asked(ask(1, by: .editor, at: .seconds(10)))
        #expect(machine.nextDeadline == .seconds(70))
        #expect(handle(.tick, at: .milliseconds(69_999)) == [])
        #expect(handle(.tick, at: .seconds(70)) == [.withdraw(id), reply(1, .editor)])
        #expect(handle(.answered(id, .allow), at: .seconds(71)) == [])
        #expect(handle(.stored(id, nil), at: .seconds(71)) == [])
    }

    @Test mutating func storingDoesNotCountTowardsTheTimeout() throws {
        let (id, _) = try asked(ask(1, by: .editor))
        _ = handle(.answered(id, .allow), at: .seconds(59))
        #expect(machine.nextDeadline == nil)
        #expect(handle(.tick, at: .seconds(100)) == [])
        #expect(handle(.stored(id, nil), at: .seconds(101)) == [reply(1, .editor)])
    }

    @Test mutating func storesNothingWithoutAnAnswer() throws {
        let (id, _) = try asked(ask(1, by: .editor))
        #expect(handle(.answered(id, nil)) == [reply(1, .editor)])
    }

    @Test mutating func aDismissedQuestionIsAskedAgainAfterAPauseThatGrows() throws {
        var now = Duration.zero
        for pause in [2, 10, 60, 600, 600] {
            let (id, _) = try asked(ask(1, by: .editor, at: now))
            #expect(handle(.answered(id, nil), at: now) == [reply(1, .editor)])
            // Until then the answer is the same, at once.
            now += .seconds(pause)
            #expect(ask(2, by: Self.editorAgain, at: now - .nanoseconds(1)) == [reply(2, Self.editorAgain)])
            #expect(ask(nil, by: .editor, at: now - .nanoseconds(1)) == [])
            _ = try asked(ask(3, by: .mail, at: now))
            _ = handle(.clientVanished(Client.mail.name))
        }
        // After an hour without a question it begins anew.
        now += .seconds(3600)
        let (id, _) = try asked(ask(4, by: .editor, at: now))
        _ = handle(.answered(id, nil), at: now)
        _ = try asked(ask(5, by: .editor, at: now + .seconds(2)))
    }

    @Test mutating func aQuestionWithoutAnAnswerCountsAsDismissed() throws {
        _ = try asked(ask(1, by: .editor))
        _ = handle(.tick, at: .seconds(60))
        #expect(ask(2, by: .editor, at: .seconds(61)) == [reply(2, .editor)])
        _ = try asked(ask(3, by: .editor, at: .seconds(62)))
    }

    @Test mutating func aQuestionThatNobodyCouldAskMayBeAskedAtOnce() throws {
        let (id, _) = try asked(ask(1, by: .editor))
        #expect(handle(.unasked(id)) == [reply(1, .editor)])
        _ = try asked(ask(2, by: .editor))
    }

    @Test mutating func aDecisionElsewhereEndsThePause() throws {
        let (id, _) = try asked(ask(1, by: .editor))
        _ = handle(.answered(id, nil))
        _ = handle(.determined(Client.editor.identity, both))
        _ = try asked(ask(2, by: .editor))
    }

    @Test mutating func aForgottenDecisionEndsThePause() throws {
        let (id, _) = try asked(ask(1, by: .editor))
        _ = handle(.answered(id, nil))
        _ = handle(.forgotten(Client.editor.identity))
        _ = try asked(ask(2, by: .editor))
    }

    /// Those of the oldest dismissals are forgotten, so that no program fills the memory.
    @Test mutating func remembersTheLatestThousandDismissedApplications() throws {
        func client(_ number: Int) -> Client {
            Client(
                name: ClientName(":2.\(number)"),
                identity: Identity(uid: 1000, kind: .executable, id: "/usr/bin/\(number)"))
        }
        for number in 0...1024 {
            let (id, _) = try asked(ask(nil, by: client(number), at: .milliseconds(number)))
            _ = handle(.answered(id, nil), at: .milliseconds(number))
        }
        #expect(ask(nil, by: client(1), at: .milliseconds(1025)) == [])
        _ = try asked(ask(nil, by: client(0), at: .milliseconds(1025)))
    }

    @Test mutating func anUnidentifiedProgramIsNotAskedAboutAgainByReconnecting() throws {
        for decision in [nil, Decision.deny] {
            machine = QuestionMachine()
            let (id, _) = try asked(ask(1, by: Self.unknown))
            _ = handle(.answered(id, decision))
            #expect(ask(2, by: Self.otherUnknown) == [reply(2, Self.otherUnknown)])
        }
    }

    @Test mutating func limitsQuestionsToSixteen() throws {
        func client(_ number: Int) -> Client {
            Client(
                name: ClientName(":2.\(number)"),
                identity: Identity(uid: 1000, kind: .executable, id: "/usr/bin/\(number)"))
        }
        var ids: [QuestionID] = []
        for number in 0..<QuestionMachine.limit {
            ids.append(try asked(ask(UInt64(number), by: client(number))).id)
        }
        // A caller that joins adds no question. A caller that does not wait gets no reply.
        #expect(ask(100, by: client(3)) == [])
        #expect(ask(nil, by: client(16)) == [])
        guard case .refuse(CallID(rawValue: 101), let refusal) = ask(101, by: client(16)).first else {
            throw Unexpected(description: "not refused")
        }
        #expect(refusal.kind == .limitExceeded)
        _ = handle(.answered(ids[0], nil))
        _ = try asked(ask(102, by: client(16)))
    }

    @Test mutating func reservesQuestionsForIdentifiedCallers() throws {
        func stranger(_ number: Int) -> Client {
            Client(name: ClientName(":3.\(number)"), identity: Self.unknown.identity)
        }
        for number in 0..<QuestionMachine.unidentifiedLimit {
            _ = try asked(ask(UInt64(number), by: stranger(number)))
        }
        guard case .refuse(CallID(rawValue: 100), let refusal) = ask(100, by: stranger(100)).first else {
            throw Unexpected(description: "not refused")
        }
        #expect(refusal.kind == .limitExceeded)
        _ = try asked(ask(101, by: .editor))
    }

    @Test mutating func unknownCallersAreAskedEachTime() throws {
        let (first, question) = try asked(ask(1, by: Self.unknown))
        let (second, _) = try asked(ask(2, by: Self.otherUnknown))
        #expect(question.identity.kind == .unknown)
        #expect(
            handle(.answered(first, .allow)) == [.allowOnce(Self.unknown, both), reply(1, Self.unknown)])
        guard case .refuse(CallID(rawValue: 2), let refusal) = handle(.answered(second, .deny)).first else {
            throw Unexpected(description: "not refused")
        }
        #expect(refusal.kind == .permissionDenied)
    }

    @Test mutating func allowOnceCountsForPendingConnectionsAndIsNotStored() throws {
        let (id, _) = try asked(ask(1, by: .editor))
        _ = ask(2, by: .editor)
        _ = ask(nil, by: Self.editorAgain)
        #expect(
            handle(.answered(id, .allowOnce)) == [
                .allowOnce(.editor, both), .allowOnce(Self.editorAgain, both), reply(1, .editor),
                reply(2, .editor),
            ])
    }

    @Test mutating func aDecisionElsewhereWithdrawsTheQuestion() throws {
        let (id, _) = try asked(ask(1, by: .editor))
        let editor = Client.editor.identity
        #expect(handle(.determined(Client.mail.identity, both)) == [])
        #expect(handle(.determined(editor, [.speech])) == [])
        #expect(handle(.determined(editor, [.microphone])) == [.withdraw(id), reply(1, .editor)])
        #expect(handle(.answered(id, .deny)) == [])
    }

    @Test mutating func anAnswerDoesNotUndoALaterDecision() throws {
        let (id, _) = try asked(ask(1, by: .editor))
        _ = handle(.determined(Client.editor.identity, [.microphone]))
        guard case .store(id, .granted, let question) = handle(.answered(id, .allow)).first else {
            throw Unexpected(description: "not stored")
        }
        #expect(question.resources == [.speech])
    }

    @Test mutating func repeatedRequestsAreRememberedOnce() throws {
        let (id, _) = try asked(ask(nil, by: .editor, [.speech]))
        for _ in 0..<1000 { #expect(ask(nil, by: .editor) == []) }
        let effects = handle(.answered(id, .allowOnce))
        #expect(effects.count == 2 && effects.first == .allowOnce(.editor, [.speech]))
    }

    @Test mutating func aFailedStoreRefusesRequestsThatJoinedWithMoreResources() throws {
        let (id, _) = try asked(ask(1, by: .editor, [.speech]))
        #expect(ask(2, by: Self.editorAgain, both) == [])
        _ = handle(.answered(id, .allow))
        let refusal = Refusal(.fileWrite, "no space")
        #expect(
            handle(.stored(id, refusal)) == [
                .refuse(CallID(rawValue: 1), refusal), .refuse(CallID(rawValue: 2), refusal),
            ])
        #expect(machine.isIdle)
    }
}
