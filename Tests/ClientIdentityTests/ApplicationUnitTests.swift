import DictationCore
import DictationTestKit
import Foundation
import Testing

@testable import ClientIdentity

@Suite("An application is the first process of a unit that is named after it")
struct ApplicationUnitTests {
    static let scope =
        "/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-org.gnome.Terminal-77.scope"

    @Test(
        "Names of units tell the application as systemd's convention says",
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
    func names(unit: String, id: String) {
        #expect(SystemdUnit.applicationID(of: unit[...]) == id)
    }

    @Test(
        "Other names tell nothing",
        arguments: [
            "", ".", "app", "app.scope", "app-.scope", "app-org.gnome.Editor.scope", "app--1.scope",
            "vte-spawn-0b1c.scope", "session-2.scope", "gnome-terminal-server.service",
            "app-a-b-c-1.scope", "app-a-b-c@1.service", "app-@1.service", "app-a\\x2-1.scope",
            "app-a\\y2d-1.scope",
            "app-a\\x-1.scope", "app-a\\x+1b-1.scope", "app-a\\x00-1.scope", "app-a\\x2fb-1.scope",
            "app-a\\x0ab-1.scope", "app-a\\xff-1.scope", "app-\(String(repeating: "a", count: 256))-1.scope",
            "xapp-org.gnome.Editor-1.scope", "app-org.gnome.Editor-1.mount", "app-org.gnome.Editor-1",
        ])
    func otherNames(unit: String) {
        #expect(SystemdUnit.applicationID(of: unit[...]) == nil)
    }

    @Test("The first process is the application")
    func first() throws {
        let fixture = try ProcessFixture()
        try fixture.add(90, startTime: 50)
        try fixture.add(42, session: 90, startTime: 100, cgroup: Self.scope)
        try fixture.add(43, parent: 42, startTime: 101, cgroup: Self.scope)
        #expect(try fixture.identity(of: 42) == ProcessFixture.identity(.app, "org.gnome.Terminal"))
    }

    @Test("What is started from a terminal is not the terminal, however soon")
    func child() throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, startTime: 100, cgroup: Self.scope)
        try fixture.add(43, parent: 42, startTime: 100, cgroup: Self.scope)
        try fixture.add(44, parent: 43, session: 43, startTime: 300, cgroup: Self.scope)
        #expect(try fixture.identity(of: 43) == fixture.executable)
        #expect(try fixture.identity(of: 44) == fixture.executable)
    }

    @Test("An orphan is not the first while the first is there, nor when its session was left behind")
    func orphans() throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, startTime: 100, cgroup: Self.scope)
        try fixture.add(43, parent: 1, session: 43, startTime: 200, cgroup: Self.scope)
        #expect(try fixture.identity(of: 43) == fixture.executable)

        let terminal = try ProcessFixture()
        try terminal.add(44, parent: 1, session: 43, startTime: 200, cgroup: Self.scope)
        #expect(try terminal.identity(of: 44) == terminal.executable)
    }

    @Test("A number that is reused does not make its new owner old")
    func wrappedNumbers() throws {
        let fixture = try ProcessFixture()
        try fixture.add(4000, startTime: 100, cgroup: Self.scope)
        try fixture.add(7, parent: 1, startTime: 90000, cgroup: Self.scope)
        #expect(try fixture.identity(of: 7) == fixture.executable)
        #expect(try fixture.identity(of: 4000).kind == .app)
    }

    @Test(
        "Only the user's own units count, and only for processes that are directly in them",
        arguments: [
            "/system.slice/app-org.gnome.Editor-1.scope",
            "/user.slice/user-1001.slice/user@1001.service/app.slice/app-org.gnome.Editor-1.scope",
            "/user.slice/user@1000.service/app-org.gnome.Editor-1.scope/group",
            "/user.slice/user@1000.service/app-org.gnome.Editor-1.slice/vte-spawn-1.scope",
            "/user@1000.service/../app-org.gnome.Editor-1.scope",
            "/app-org.gnome.Editor-1.scope/user@1000.service", "/",
        ])
    func otherPlaces(cgroup: String) throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, cgroup: cgroup)
        #expect(try fixture.identity(of: 42) == fixture.executable)
    }

    @Test("A unit whose processes cannot be listed has no first one")
    func unlisted() throws {
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

    @Test("Processes that have gone are not older than anybody")
    func goneMembers() throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, cgroup: Self.scope)
        let list = fixture.directory.path(of: "cgroup\(Self.scope)/cgroup.procs")
        try "41\n42\n0\n".write(toFile: list, atomically: false, encoding: .utf8)
        #expect(try fixture.identity(of: 42).kind == .app)
    }
}
