import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// The permission to type, which is asked for and stored as the others are.
@Suite struct TypingPermissionTests {
    private func permissions(_ client: TestClient) -> DictationPermissionsProxy {
        DictationPermissionsProxy(connection: client.connection, destination: DictationInterface.busName)
    }

    private func request(_ client: TestClient, _ resources: BusText...) async throws -> [String: String] {
        let status = try await client.dictation.requestPermission(
            resources: resources, options: [:], timeout: nil)
        return Dictionary(uniqueKeysWithValues: status.map { ($0.key.string, "\($0.value)") })
    }

    private var ownApplication: [BusText: Value] {
        get throws {
            [
                ClientKey.kind: .string("executable"),
                ClientKey.id: .string(BusText(try executableOfThisProcess())),
            ]
        }
    }

    @Test func theAnswerIsStored() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            async let first = request(client, "typing")
            guard case .requestPermission(_, _, let resources, let details) = try await agent.question()
            else { throw TestFailure("no question") }
            #expect(resources == ["typing"])
            #expect(details[PromptKey.title] == .string("Allow typing?"))
            try await agent.answer("allow")
            #expect(try await first == ["typing": "granted"])
            #expect(try await request(client, "typing") == ["typing": "granted"])
            #expect(agent.asked == 1)
            let status = try await client.dictation.checkPermission()
            #expect(status.status["typing"] == "granted" && !status.ready)

            try await rig.restart()
            let second = try await TestClient(on: rig)
            #expect(try await request(second, "typing") == ["typing": "granted"])
            let list = try await rig.output(of: [
                executable("dictation-cli"), "permissions", "--address", rig.bus.address,
            ])
            #expect(list.hasSuffix("not-determined, typing granted"), "\(list)")
            try await permissions(second).forget(client: ownApplication)
            #expect(try await permissions(second).check(client: ownApplication)["typing"] == "not-determined")
        }
    }

    @Test func oneQuestionAsksForAll() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            async let answer = request(client, "microphone", "speech", "typing")
            try await agent.answer("allow")
            #expect(
                try await answer == ["microphone": "granted", "speech": "granted", "typing": "granted"])
            #expect(agent.asked == 1)
        }
    }

    @Test func permissionForOneTimeIsNotStored() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            async let first = request(client, "typing")
            try await agent.answer("allow-once")
            #expect(try await first == ["typing": "granted"])
            #expect(try await client.dictation.checkPermission().status["typing"] == "granted")
            #expect(try await permissions(client).check(client: ownApplication)["typing"] == "not-determined")
            let other = try await TestClient(on: rig)
            async let second = request(other, "typing")
            try await agent.answer("deny", 1)
            #expect(try await second == ["typing": "denied"])
        }
    }

    /// A rule from before there was this permission does not give it away.
    @Test func aRuleThatAllowsDictationLeavesTypingToTheUser() async throws {
        try await withRig("permissions: {allow: [\"executable:*\"]}\n", allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            let status = try await client.dictation.checkPermission().status
            #expect(status["speech"] == "granted" && status["typing"] == "not-determined")
            async let answer = request(client, "typing")
            try await agent.answer("allow")
            #expect(try await answer == ["typing": "granted"])
            try rig.home.write("permissions: {deny: [\"executable:*\"]}\n", to: "dictation.yaml")
            try await eventually("the rule counts") {
                try await client.dictation.checkPermission().status["typing"] == "restricted"
            }
        }
    }

    /// The service's own programs are asked about dictation alone.
    @Test func theCommandLineIsNotAskedAboutTyping() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let client = try await TestClient(on: rig)
            for program in ["dictation-cli", "dictation-worker"] {
                let application: [BusText: Value] = [
                    ClientKey.kind: .string("executable"),
                    ClientKey.id: .string(BusText(executable(program))),
                ]
                let status = try await permissions(client).check(client: application)
                #expect(status["typing"] == "granted" && status["speech"] == "not-determined")
                try await permissions(client).set(client: application, resource: "typing", status: "denied")
                #expect(try await permissions(client).check(client: application)["typing"] == "denied")
            }
        }
    }
}
