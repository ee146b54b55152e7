import DictationCore
import DictationTestKit
import Foundation
import Testing

@testable import ClientIdentity

@Suite struct ApplicationUnitTests {
    static let scope =
        "/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-org.gnome.Terminal-77.scope"

    @Test(
        arguments: [
            ("app-org.gnome.Editor-123.scope", "org.gnome.Editor"),
            ("app-gnome-org.gnome.Editor-123.scope", "org.gnome.Editor"),
            ("app-KDE-org.kde.kate-0b1c2d.slice", "org.kde.kate"),
            ("app-gnome-my\\x2deditor-123.scope", "my-editor"),
            ("app-org.kde.kate@0b1c.service", "org.kde.kate"),
            ("app-org.kde.kate@.service", "org.kde.kate"),
            ("app-org.kde.kate.service", "org.kde.kate"),
            ("app-gnome-org.gnome.SettingsDaemon\\x2dX@autostart.service", "org.gnome.SettingsDaemon-X"),
            ("app-caf\\xc3\\xa9-1.scope", "caf\u{e9}"),
        ])
    func readsTheApplicationFromUnitNames(unit: String, id: String) {
        #expect(SystemdUnit.applicationID(of: unit[...]) == id)
    }

    @Test(
        arguments: [
            "", ".", "app", "app.scope", "app-.scope", "app-org.gnome.Editor.scope", "app--1.scope",
            "vte-spawn-0b1c.scope", "session-2.scope", "gnome-terminal-server.service",
            "app-a-b-c-1.scope", "app-a-b-c@1.service", "app-@1.service", "app-a\\x2-1.scope",
            "app-a\\y2d-1.scope",
            "app-a\\x-1.scope", "app-a\\x+1b-1.scope", "app-a\\x00-1.scope", "app-a\\x2fb-1.scope",
            "app-a\\x0ab-1.scope", "app-a\\xff-1.scope", "app-\(String(repeating: "a", count: 256))-1.scope",
            "xapp-org.gnome.Editor-1.scope", "app-org.gnome.Editor-1.mount", "app-org.gnome.Editor-1",
        ])
    func otherUnitNamesHaveNoApplication(unit: String) {
        #expect(SystemdUnit.applicationID(of: unit[...]) == nil)
    }

    @Test func theFirstProcessIsTheApplication() throws {
        let fixture = try ProcessFixture()
        try fixture.add(90, startTime: 50)
        try fixture.add(42, session: 90, startTime: 100, cgroup: Self.scope)
        try fixture.add(43, parent: 42, startTime: 101, cgroup: Self.scope)
        #expect(try fixture.identity(of: 42) == ProcessFixture.identity(.app, "org.gnome.Terminal"))
    }

    @Test func aChildOfATerminalIsNotTheTerminal() throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, startTime: 100, cgroup: Self.scope)
        try fixture.add(43, parent: 42, startTime: 100, cgroup: Self.scope)
        try fixture.add(44, parent: 43, session: 43, startTime: 300, cgroup: Self.scope)
        #expect(try fixture.identity(of: 43) == fixture.executable)
        #expect(try fixture.identity(of: 44) == fixture.executable)
    }

    @Test func anOrphanIsNotTheApplication() throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, startTime: 100, cgroup: Self.scope)
        try fixture.add(43, parent: 1, session: 43, startTime: 200, cgroup: Self.scope)
        #expect(try fixture.identity(of: 43) == fixture.executable)

        let terminal = try ProcessFixture()
        try terminal.add(44, parent: 1, session: 43, startTime: 200, cgroup: Self.scope)
        #expect(try terminal.identity(of: 44) == terminal.executable)
    }

    @Test func aReusedNumberIsNotTheFirstProcess() throws {
        let fixture = try ProcessFixture()
        try fixture.add(4000, startTime: 100, cgroup: Self.scope)
        try fixture.add(7, parent: 1, startTime: 90000, cgroup: Self.scope)
        #expect(try fixture.identity(of: 7) == fixture.executable)
        #expect(try fixture.identity(of: 4000).kind == .app)
    }

    @Test(
        arguments: [
            "/system.slice/app-org.gnome.Editor-1.scope",
            "/user.slice/user-1001.slice/user@1001.service/app.slice/app-org.gnome.Editor-1.scope",
            "/user.slice/user@1000.service/app-org.gnome.Editor-1.scope/group",
            "/user.slice/user@1000.service/app-org.gnome.Editor-1.slice/vte-spawn-1.scope",
            "/user@1000.service/../app-org.gnome.Editor-1.scope",
            "/app-org.gnome.Editor-1.scope/user@1000.service", "/",
        ])
    func onlyDirectMembersOfTheUsersUnitsCount(cgroup: String) throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, cgroup: cgroup)
        #expect(try fixture.identity(of: 42) == fixture.executable)
    }

    @Test func aUnitThatCannotBeListedHasNoFirstProcess() throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, cgroup: Self.scope)
        let list = fixture.directory.path(of: "cgroup\(Self.scope)/cgroup.procs")
        for contents in ["", "rubbish\n", "1\n", "42\n" + String(repeating: "1234567890\n", count: 2048)] {
            try contents.write(toFile: list, atomically: false, encoding: .utf8)
            #expect(try fixture.identity(of: 42) == fixture.executable)
        }
        try FileManager.default.removeItem(atPath: list)
        #expect(try fixture.identity(of: 42) == fixture.executable)
    }

    @Test func ignoresProcessesThatHaveEnded() throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, cgroup: Self.scope)
        let list = fixture.directory.path(of: "cgroup\(Self.scope)/cgroup.procs")
        try "41\n42\n0\n".write(toFile: list, atomically: false, encoding: .utf8)
        #expect(try fixture.identity(of: 42).kind == .app)
    }
}
