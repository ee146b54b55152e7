import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// The permission to type, which the typing service asks for and checks on behalf of applications.
@Suite struct TypingPermissionTests {
    private let editor: [BusText: Value] = [
        ClientKey.kind: .string("flatpak"), ClientKey.id: .string("org.example.Editor"),
    ]
    private static let allowRule = "permissions: {allow: [\"flatpak:*\"]}\n"

    private func permissions(_ client: TestClient) -> DictationPermissionsProxy {
        DictationPermissionsProxy(connection: client.connection, destination: DictationInterface.busName)
    }

    private func request(
        _ client: TestClient, _ resource: String = "typing"
    ) async throws -> (status: String, once: Bool) {
        try await permissions(client).request(client: editor, resource: BusText(resource), timeout: nil)
    }

    @Test func theAnswerIsStoredForTheApplicationThatIsNamed() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            async let first = request(client)
            guard
                case .requestPermission(_, let application, let resources, let details) =
                    try await agent.question()
            else { throw TestFailure("no question") }
            #expect(application[ClientKey.id] == .string("org.example.Editor") && resources == ["typing"])
            #expect(details[PromptKey.title] == .string("Allow typing?"))
            try await agent.answer("allow")
            #expect(try await first == ("granted", false))
            #expect(try await request(client) == ("granted", false))
            #expect(agent.asked == 1)
            let status = try await permissions(client).check(client: editor)
            #expect(
                status == [
                    "microphone": "not-determined", "speech": "not-determined", "typing": "granted",
                ])
            // The caller has got nothing itself.
            #expect(try await client.dictation.checkPermission().status["typing"] == nil)

            try await rig.restart()
            let second = try await TestClient(on: rig)
            #expect(try await request(second) == ("granted", false))
            let list = try await rig.output(of: [
                executable("dictation-cli"), "permissions", "--address", rig.bus.address,
            ])
            #expect(list == "flatpak:org.example.Editor  not-determined, typing granted")
            try await permissions(second).forget(client: editor)
            #expect(try await permissions(second).check(client: editor)["typing"] == "not-determined")
        }
    }

    @Test func permissionForOneTimeIsReportedAndNotStored() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            async let first = request(client)
            try await agent.answer("allow-once")
            #expect(try await first == ("granted", true))
            #expect(try await permissions(client).check(client: editor)["typing"] == "not-determined")
            async let second = request(client)
            try await agent.answer("deny", 1)
            #expect(try await second == ("denied", false))
        }
    }

    /// A rule from before there was this permission does not give it away.
    @Test func aRuleThatAllowsDictationLeavesTypingToTheUser() async throws {
        try await withRig(Self.allowRule, allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            let status = try await permissions(client).check(client: editor)
            #expect(status["speech"] == "granted" && status["typing"] == "not-determined")
            async let answer = request(client)
            try await agent.answer("allow")
            #expect(try await answer == ("granted", false))
            try rig.home.write("permissions: {deny: [\"flatpak:*\"]}\n", to: "dictation.yaml")
            try await eventually("the rule counts") {
                try await permissions(client).check(client: editor)["typing"] == "restricted"
            }
        }
    }

    @Test func otherPermissionsAreNotAskedForOnBehalfOfOthers() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let client = try await TestClient(on: rig)
            for resource in ["microphone", "speech", "other"] {
                await #expect { try await request(client, resource) } throws: {
                    ($0 as? DBusError)?.name == .invalidArgs
                }
            }
            await #expect {
                try await client.dictation.requestPermission(resources: ["typing"], options: [:])
            } throws: {
                ($0 as? DBusError)?.name == .invalidArgs
            }
        }
    }
}
