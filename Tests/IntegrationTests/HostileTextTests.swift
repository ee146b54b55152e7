import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Synchronization
import Testing

/// Text that `String` needs seconds to hash or compare is refused without delaying other clients.
@Suite struct HostileTextTests {
    /// A letter followed by combining marks that are not in canonical order: 234 KiB.
    private static func marks(_ word: String, pairs: Int = 60_000) -> BusText {
        BusText(word + String(repeating: "\u{301}\u{316}", count: pairs))
    }

    private typealias Call = (interface: InterfaceName, member: MemberName, body: [Value])

    private static func calls(pairs: Int) -> [Call] {
        func text(_ word: String) -> Value { .string(marks(word, pairs: pairs)) }
        let none = Value([BusText: Value]())
        let key = Value([marks("a", pairs: pairs): .bool(true)])
        func option(_ name: BusText, _ word: String) -> Value { Value([name: text(word)]) }
        let dictation = DictationInterface.name
        let permissions = DictationPermissionsInterface.name
        let agents = DictationAgentManagerInterface.name
        func client(_ kind: Value, _ id: Value) -> Value {
            Value([ClientKey.kind: kind, ClientKey.id: id])
        }
        let long = client(.string("executable"), text("/usr/bin/a"))
        return [
            (dictation, "Start", [key]), (dictation, "Start", [option(StartOption.language, "en-US")]),
            (dictation, "Start", [option(StartOption.engine, "scripted")]),
            // A grammar may be this long: the missing engine refuses it.
            (
                dictation, "Start",
                [Value([StartOption.grammar: text("#JSGF V1.0;"), StartOption.engine: .string("none")])]
            ),
            (dictation, "Start", [option(StartOption.route, "microphone")]),
            (dictation, "Start", [option(StartOption.playback, "pause")]),
            (dictation, "Start", [Value([StartOption.vocabulary: Value([marks("word", pairs: pairs)])])]),
            (dictation, "Subscribe", [key]), (dictation, "SelectRoute", [text("microphone"), none]),
            (dictation, "SelectRoute", [.string("microphone"), key]),
            (dictation, "RequestPermission", [Value([marks("speech", pairs: pairs)]), none]),
            (dictation, "RequestPermission", [Value(["speech"]), key]),
            (permissions, "Set", [long, .string("speech"), .string("denied")]),
            (
                permissions, "Set",
                [client(text("executable"), .string("/a")), .string("speech"), text("denied")]
            ),
            (
                permissions, "Set",
                [client(.string("executable"), .string("/a")), text("speech"), .string("denied")]
            ),
            (permissions, "Forget", [long]),
            (agents, "Register", [Value(ObjectPath.root), Value([marks("prompt", pairs: pairs)]), none]),
            (.properties, "Get", [.string(""), text("State")]),
            (.properties, "Get", [text("org.example.Dictation"), .string("State")]),
            (.properties, "GetAll", [text("org.example.Dictation")]),
            (.properties, "Set", [text("org.example.Dictation"), text("State"), .variant(.bool(true))]),
        ]
    }

    /// For an answer to somebody else.
    private static let limit = Duration.milliseconds(100)

    /// 60,000 pairs exceed the limit of every member; 10,000 pairs are within the limit of a message.
    @Test(arguments: [60_000, 10_000])
    func isRefusedWhileOthersAreAnswered(pairs: Int) async throws {
        try await withRig(tones) { rig in
            let attacker = try await TestClient(on: rig, listensToAll: false)
            let other = try await TestClient(on: rig, listensToAll: false)
            _ = try await attacker.dictation.getSession()
            _ = try await other.dictation.getSession()
            for (interface, member, body) in Self.calls(pairs: pairs) {
                var waits: [Duration] = []
                // The text delays each attempt, the machine only some.
                repeat {
                    let attack = Task {
                        try await attacker.connection.call(
                            destination: DictationInterface.busName, path: DictationInterface.path,
                            interface: interface, member: member, body)
                    }
                    // After the attack, whose message takes the bus a moment.
                    try await eventually("the attack has been sent") {
                        await attacker.connection.outgoingBytes == 0
                    }
                    waits.append(
                        try await ContinuousClock().measure { _ = try await other.dictation.getSession() })
                    let answer = await attack.result
                    #expect(throws: DBusError.self, "\(interface).\(member)") { try answer.get() }
                    if case .success = answer { try await attacker.dictation.stop() }
                } while waits.allSatisfy { $0 >= Self.limit } && waits.count < 3
                #expect(waits.contains { $0 < Self.limit }, "\(interface).\(member): \(waits)")
            }
            #expect(try rig.usage().kibibytes < 512 << 10)
        }
    }

    /// The maximum number and length: a lexicon is built from them for each session.
    @Test func manyPhrasesDelayNoOtherClient() async throws {
        let phrases = (0..<StartOption.phraseLimit).map { number in
            BusText((0..<23).map { "\(number)e\u{301}\u{316}\($0)" }.joined(separator: " "))
        }
        #expect(phrases.last?.count == 242)
        let options: [BusText: Value] = [
            StartOption.formatting: .string("dictation"),
            StartOption.phrases: Value(phrases),
        ]
        try await withRig(tones) { rig in
            let attacker = try await TestClient(on: rig, listensToAll: false)
            let other = try await TestClient(on: rig, listensToAll: false)
            _ = try await other.dictation.getSession()
            for _ in 0..<5 {
                let isAnswered = Atomic(false)
                let attack = Task {
                    _ = try await attacker.dictation.start(options: options)
                    isAnswered.store(true, ordering: .relaxed)
                }
                try await eventually("the attack has been sent") {
                    await attacker.connection.outgoingBytes == 0
                }
                var others = 0
                while !isAnswered.load(ordering: .relaxed) {
                    _ = try await other.dictation.getSession()
                    others += 1
                }
                #expect(others > 5, "calls that were answered before the session began")
                _ = try await attack.value
                try await attacker.dictation.stop()
            }
        }
    }
}
