import DBus
import Desktop
import DictationCore
import DictationTestKit
import EventLoop
import Prompts
import Testing

@Suite struct PromptTests {
    static let prompt = Prompt(
        client: Identity(uid: 1000, kind: .executable, id: "/usr/bin/editor"), resources: [.microphone])

    // MARK: Which backend is asked

    static let allow = "ret = (dbus.UInt32(0), {})"
    static let deny = "ret = (dbus.UInt32(1), {})"

    @Test func asksThePreferredBackendFirst() async throws {
        let configuration = "[preferred]\ndefault=gtk\norg.freedesktop.impl.portal.Access=shell;gtk;\n"
        let backends = ["shell": Self.deny, "gtk": Self.allow]
        #expect(try await answer(of: backends, configuration) == .deny)
    }

    @Test func asksTheBackendOfTheDesktopWithoutAPreference() async throws {
        #expect(try await answer(of: ["shell": Self.deny, "gtk": Self.allow]) == .deny)
    }

    @Test func asksTheNextBackendAfterARefusal() async throws {
        let busy = "raise dbus.exceptions.DBusException('', name='org.freedesktop.DBus.Error.LimitsExceeded')"
        #expect(try await answer(of: ["shell": busy, "gtk": Self.allow]) == .allow)
    }

    @Test func aDialogThatEndsOtherwiseGivesNoAnswer() async throws {
        #expect(try await answer(of: ["gtk": "ret = (dbus.UInt32(2), {})"]) == nil)
    }

    @Test func anErrorGivesNoAnswer() async throws {
        let refusal = "raise dbus.exceptions.DBusException('no')"
        #expect(await failure { try await answer(of: ["gtk": refusal]) } == .noPrompter)
        #expect(
            await failure { try await answer(of: ["gtk": "ret = (dbus.UInt32(0), 'bad')"]) } == .noPrompter)
    }

    @Test func reportsThatNobodyCanBeAskedWithoutABackend() async throws {
        #expect(await failure { try await answer(of: [:]) } == .noPrompter)
    }

    @Test func asksNoBackendIfConfigured() async throws {
        let configuration = "[preferred]\ndefault=none\n"
        #expect(await failure { try await answer(of: ["gtk": Self.allow], configuration) } == .noPrompter)
    }

    /// The result of asking on a desktop with these backends, each with the result of its dialog.
    private func answer(
        of backends: [String: String], _ configuration: String? = nil
    ) async throws -> Decision? {
        let bus = try await PrivateBus()
        let connection = try await Connection(to: .custom(bus.address))
        let files = try TemporaryDirectory()
        var mocks: [DBusMock] = []
        for (id, code) in backends {
            let name = "org.freedesktop.impl.portal.desktop.\(id)"
            try files.write(
                """
                [portal]
                DBusName=\(name)
                Interfaces=org.freedesktop.impl.portal.Access;org.freedesktop.impl.portal.Print;
                UseIn=\(id == "gtk" ? "other" : "Example")
                """, to: "data/xdg-desktop-portal/portals/\(id).portal")
            let path: ObjectPath = "/org/freedesktop/portal/desktop"
            let interface = "org.freedesktop.impl.portal.Access"
            let mock = try await DBusMock(
                #require(BusName(name)), ["--session", name, path.rawValue, interface], on: bus.address,
                by: connection)
            try await mock.steer(
                path, "AddMethod",
                [interface, "AccessDialog", "osssssa{sv}", "ua{sv}", code].map { .string($0) })
            mocks.append(mock)
        }
        if let configuration {
            try files.write(configuration, to: "config/xdg-desktop-portal/example-portals.conf")
        }
        let environment = [
            "XDG_DATA_DIRS": files.path(of: "data"), "XDG_CONFIG_DIRS": files.path(of: "config"),
            "XDG_CURRENT_DESKTOP": "Example:GNOME", "HOME": files.path,
        ]
        let prompter = PortalPrompter(on: connection, environment: environment)
        defer { withExtendedLifetime(mocks) {} }
        return try await prompter.ask(Self.prompt)
    }
}

/// Why the user could not be asked.
func failure(_ ask: () async throws -> Decision?) async -> DesktopError.Code? {
    do {
        let answer = try await ask()
        Issue.record("there was an answer: \(String(describing: answer))")
        return nil
    } catch {
        return (error as? DesktopError)?.code
    }
}
