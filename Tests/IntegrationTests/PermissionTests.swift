import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// Only permitted applications dictate: the real daemon, real agents, a real store.
@Suite struct PermissionTests {
    private let both: [BusText] = ["microphone", "speech"]
    private let granted: [BusText: String] = ["microphone": "granted", "speech": "granted"]
    private let denied: [BusText: String] = ["microphone": "denied", "speech": "denied"]
    private let undecided: [BusText: String] = ["microphone": "not-determined", "speech": "not-determined"]

    private func expect(_ error: DictationErrorKind, _ call: () async throws -> Void) async {
        do {
            try await call()
            Issue.record("\(error) was expected")
        } catch let refusal as DBusError {
            #expect(refusal.name == DictationInterface.errorName(error))
        } catch {
            Issue.record("\(error)")
        }
    }

    private func request(_ client: TestClient, waits: Bool = true) async throws -> [BusText: String] {
        try await client.dictation.requestPermission(
            resources: both, options: waits ? [:] : [RequestPermissionOption.wait: .bool(false)], timeout: nil
        )
    }

    @Test(arguments: ["y", "n"])
    func anAnswerHoldsUntilForgotten(answer: String) async throws {
        try await withRig(tones, allowsEveryone: false) { rig in
            try await rig.plugIn()
            let cli = executable("dictation-cli")
            let agent = try rig.start([cli, "agent", "--address", rig.bus.address])
            _ = try await agent.line(of: .errors) { $0.contains("Waiting") }
            let client = try await TestClient(on: rig)
            await expect(.permissionRequired) { _ = try await client.dictation.start(options: [:]) }
            #expect(try await !rig.isCapturing())

            async let status = request(client)
            _ = try await agent.line(of: .errors) { $0.contains("[y]es") }
            try agent.write("\(answer)\n")
            let expected = answer == "y" ? granted : denied
            #expect(try await status == expected)
            agent.kill()
            try await expectDecision(answer == "y", client, rig)

            try await rig.restart()
            let second = try await TestClient(on: rig)
            #expect(try await request(second) == expected)
            try await expectDecision(answer == "y", second, rig)

            let program = try executableOfThisProcess()
            _ = try await rig.output(
                of: [cli, "permissions", "forget", program, "--address", rig.bus.address])
            await expect(.permissionRequired) { _ = try await second.dictation.start(options: [:]) }
            #expect(
                try await second.dictation.checkPermission().status
                    == undecided.merging(["typing": "not-determined"]) { $1 })
            let log = try await rig.output(of: [cli, "permissions", "log", "--address", rig.bus.address])
            #expect(log.contains("agent \(cli)") && log.contains("settings \(cli)"), "\(log)")
        }
    }

    private func expectDecision(_ isGranted: Bool, _ client: TestClient, _ rig: Rig) async throws {
        guard isGranted else {
            await expect(.permissionDenied) { _ = try await client.dictation.start(options: [:]) }
            return #expect(try await !rig.isCapturing())
        }
        _ = try await client.dictation.start(options: [:])
        try await client.state("listening")
        try await client.dictation.stop()
    }

    @Test func revokingStopsListeningUntilGrantedAgain() async throws {
        try await withRig(tones, allowsEveryone: false) { rig in
            let microphone = try await rig.plugIn()
            try await rig.setPermission("grant")
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            try await client.signal("the first words") { _ in
                client.text(of: 1).contains("t500") ? true : nil
            }
            client.beginStep()
            let permissions = DictationPermissionsProxy(
                connection: client.connection, destination: DictationInterface.busName)
            let program = try executableOfThisProcess()
            try await permissions.set(
                client: [ClientKey.kind: .string("executable"), ClientKey.id: .string(program)],
                resource: "microphone", status: "denied")
            try await client.signal("Interrupted") { signal in
                if case .interrupted(_, "permission-lost", _) = signal { true } else { nil }
            }
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            await expect(.permissionDenied) { _ = try await client.dictation.commit() }
            client.beginStep()
            try await rig.setPermission("grant")
            try await client.signal("Resumed") { if case .resumed = $0 { true } else { nil } }
            try await rig.say(Speech.tones(900), into: microphone)
            try await client.signal("the next words") { _ in
                client.text(of: 1).contains("t900") ? true : nil
            }
            #expect(try await client.dictation.commit().text == "t500 t900")
        }
    }

    @Test func anAdministratorsNewRuleAppliesToRunningSessions() async throws {
        try await withRig(tones) { rig in
            try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            client.beginStep()
            try rig.home.write(tones + "permissions:\n  deny: [\"*\"]\n", to: "dictation.yaml")
            try await client.signal("Interrupted") { signal in
                if case .interrupted(_, "permission-lost", _) = signal { true } else { nil }
            }
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            await expect(.permissionDenied) { _ = try await client.dictation.resume() }
            client.beginStep()
            try rig.home.write(tones + "permissions:\n  allow: [\"*\"]\n", to: "dictation.yaml")
            try await client.signal("Resumed") { if case .resumed = $0 { true } else { nil } }
        }
    }

    @Test func aDismissedQuestionIsNotAskedAgainAtOnce() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            async let first = request(client)
            let begin = ContinuousClock.now
            try await agent.answer("")
            #expect(try await first == undecided)
            for _ in 0..<50 { #expect(try await request(client, waits: false) == undecided) }
            #expect(agent.asked == 1 || ContinuousClock.now - begin > .seconds(2))
            try await eventually("after a while it is asked again") {
                _ = try await request(client, waits: false)
                return agent.asked == 2
            }
        }
    }

    @Test func aSecondRequestJoinsTheFirst() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let (first, second) = (try await TestClient(on: rig), try await TestClient(on: rig))
            async let one = request(first)
            _ = try await agent.question()
            async let two = request(second)
            #expect(try await request(second, waits: false) == undecided)
            try await agent.answer("allow")
            #expect(try await one == granted)
            #expect(try await two == granted)
            #expect(agent.asked == 1)
            try await second.signal("PermissionChanged") { signal in
                if case .permissionChanged("speech", "granted", _) = signal { true } else { nil }
            }
        }
    }

    @Test func allowOnceCountsForTheConnectionOnly() async throws {
        try await withRig(tones, allowsEveryone: false) { rig in
            try await rig.plugIn()
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            async let status = request(client)
            try await agent.answer("allow-once")
            #expect(try await status == granted)
            _ = try await client.dictation.start(options: [StartOption.linger: .bool(true)])
            try await client.state("listening")
            let other = try await TestClient(on: rig)
            await expect(.permissionRequired) { _ = try await other.dictation.start(options: [:]) }
            await client.vanish()
            // The lingering session keeps its permission.
            try await eventually("the session has no owner") {
                try await other.dictation.getSession()["owner"] == .bool(false)
            }
            #expect(try await other.dictation.getSession()["state"] == .string("listening"))
            #expect(
                try await other.dictation.checkPermission().status
                    == undecided.merging(["typing": "not-determined"]) { $1 })
        }
    }

    /// The next service asks about it again. Until then its text waits.
    @Test func whatWasAllowedOnceReturnsAfterACrashWhenItIsAllowedAgain() async throws {
        try await withRig(tones, allowsEveryone: false) { rig in
            let microphone = try await rig.plugIn()
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            async let first = request(client)
            try await agent.answer("allow-once")
            #expect(try await first == granted)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.speak(into: microphone)
            try await rig.crashAndReplaceDaemon()
            #expect(try await client.dictation.getSession()["state"] == .string("idle"))
            #expect(try !rig.traces(of: "t500").isEmpty)
            let next = try await TestAgent(on: rig)
            async let second = request(client)
            try await next.answer("allow-once")
            #expect(try await second == granted)
            try await eventually("its session is back") {
                try await client.dictation.getSession()["text"] == .string("t500")
            }
        }
    }

    @Test func withdrawsAnAbandonedQuestion() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            let asking = Task { try await request(client) }
            _ = try await agent.question()
            await client.vanish()
            try await eventually("it is withdrawn") { agent.withdrawals == 1 }
            _ = await asking.result
        }
    }

    @Test func asksTheNextAgentWhenOneDies() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let careful = try await TestAgent(on: rig)
            let fallback = try await TestAgent(on: rig, options: [AgentOption.fallback: .bool(true)])
            let dying = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            async let status = request(client)
            _ = try await dying.question()
            await dying.vanish()
            try await careful.answer("nonsense")
            try await fallback.answer("deny")
            #expect(try await status == denied)
        }
    }

    @Test func asksTheNextAgentWhenOneUnregisters() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let next = try await TestAgent(on: rig)
            let leaving = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            async let status = request(client)
            _ = try await leaving.question()
            try await leaving.manager.unregister(path: "/test/agent")
            try await next.answer("allow")
            #expect(try await status == granted)
            #expect(leaving.withdrawals == 1)
            await leaving.vanish()
        }
    }

    @Test func reportsWhatIsGrantedAlready() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            let permissions = DictationPermissionsProxy(
                connection: client.connection, destination: DictationInterface.busName)
            let program = try executableOfThisProcess()
            try await permissions.set(
                client: [ClientKey.kind: .string("executable"), ClientKey.id: .string(program)],
                resource: "speech", status: "granted")
            async let status = request(client)
            guard case .requestPermission(_, _, let resources, _) = try await agent.question() else {
                throw TestFailure("no question")
            }
            #expect(resources == ["microphone"])
            try await agent.answer("deny")
            #expect(try await status == ["microphone": "denied", "speech": "granted"])
        }
    }

    @Test func decidesNothingWithoutAnAgent() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let client = try await TestClient(on: rig)
            #expect(try await request(client) == undecided)
        }
    }

    @Test func administratorsRulesComeFirst() async throws {
        let program = try executableOfThisProcess()
        let rules = "permissions:\n  deny: [\"executable:\(program)\"]\n  allow: [\"executable:*\"]\n"
        try await withRig(rules, allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            #expect(
                try await request(client) == ["microphone": "restricted", "speech": "restricted"])
            await expect(.permissionDenied) { _ = try await client.dictation.start(options: [:]) }
            let permissions = DictationPermissionsProxy(
                connection: client.connection, destination: DictationInterface.busName)
            await expect(.permissionDenied) {
                try await permissions.set(
                    client: [ClientKey.kind: .string("executable"), ClientKey.id: .string(program)],
                    resource: "speech", status: "granted")
            }
            #expect(agent.asked == 0)
        }
    }

    @Test func thePromptShowsTheVerifiedApplication() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let asking = try rig.start([
                "busctl", "--address=\(rig.bus.address)", "call", "\(DictationInterface.busName)",
                "\(DictationInterface.path)", "\(DictationInterface.name)", "RequestPermission", "asa{sv}",
                "1", "speech", "0",
            ])
            guard
                case .requestPermission(_, let client, let resources, let details) =
                    try await agent.question()
            else { throw TestFailure("no question") }
            #expect(
                client == [ClientKey.kind: .string("executable"), ClientKey.id: .string("/usr/bin/busctl")])
            #expect(resources == ["speech"])
            #expect(details[PromptKey.subtitle].flatMap { String($0) }?.contains("/usr/bin/busctl") == true)
            try await agent.answer("allow")
            #expect(try await asking.exitStatus() == .exited(0))
            let list = try await rig.output(of: [
                executable("dictation-cli"), "permissions", "--address", rig.bus.address,
            ])
            #expect(list == "/usr/bin/busctl  microphone not-determined, speech granted")
        }
    }
}
