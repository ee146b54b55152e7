import DictationCore
import DictationTestKit
import Foundation
import Glibc
import Testing

@testable import ClientIdentity

@Suite struct SandboxTests {
    @Test(
        arguments: [
            (
                "[Application]\nname=org.gnome.Editor\nruntime=runtime/org.gnome.Platform/x86_64/45\n",
                "org.gnome.Editor"
            ),
            (
                "# by hand\n\n[Instance]\nname=7\n[Application]\nname=com.Example.App_1.A-b\n",
                "com.Example.App_1.A-b"
            ),
            ("[Runtime]\nname=org.gnome.Platform\n", "org.gnome.Platform"),
        ])
    func readsTheApplicationFromFlatpaksFile(info: String, id: String) throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, cgroup: "/user.slice/user@1000.service/app-flatpak-other-1.scope", info: info)
        #expect(try fixture.identity(of: 42) == ProcessFixture.identity(.flatpak, id))
    }

    @Test(
        arguments: [
            "", "rubbish", "name=org.gnome.Editor\n", "[Application]\n", "[Application]\nname=\n",
            "[Application]\nname=editor\n", "[Application]\nname=org.gnome\n",
            "[Application]\nname=org..gnome\n",
            "[Application]\nname=../../usr/bin/x\n", "[Application]\nname=org.gnome.Editor \n",
            "[Application]\nname=org.gnome.\u{202e}Editor\n", "[Application]\nname=org.gnome.\u{e9}\n",
            "[Application]\nname=org.gnome.Editor\nname=org.gnome.Other\n",
            "[Application]\nname=org.gnome.Editor\n[Application]\nname=org.gnome.Other\n",
            "[Application]\nname=org.gnome.Editor\0\n", "[Application\nname=org.gnome.Editor\n",
            "[Application]\nname=org.gnome.\(String(repeating: "a", count: 250))\n",
        ])
    func anInvalidFlatpakFileIsAnError(info: String) throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, info: info)
        #expect(throws: IdentityError(.malformed, ".flatpak-info")) { try fixture.identity(of: 42) }
    }

    enum Obstacle: CaseIterable {
        case symbolicLink, danglingLink, folder, pipe, tooLarge, invalidText
    }

    @Test(arguments: Obstacle.allCases)
    func onlyAMissingFlatpakFileMeansNoSandbox(obstacle: Obstacle) throws {
        let fixture = try ProcessFixture()
        try fixture.add(42)
        let path = fixture.path(of: "root/.flatpak-info", 42)
        let good = try fixture.directory.write("[Application]\nname=org.gnome.Editor\n", to: "good")
        let files = FileManager.default
        switch obstacle {
        case .symbolicLink: try files.createSymbolicLink(atPath: path, withDestinationPath: good)
        case .danglingLink: try files.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere")
        case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .pipe: #expect(mkfifo(path, 0o600) == 0)
        case .tooLarge:
            let text = "[Application]\nname=org.gnome.Editor\n" + String(repeating: "#\n", count: 40000)
            try text.write(toFile: path, atomically: false, encoding: .utf8)
        case .invalidText: try Data([0xc3, 0x28]).write(to: URL(fileURLWithPath: path))
        }
        let error = #expect(throws: IdentityError.self) { try fixture.identity(of: 42) }
        #expect(error?.subject == ".flatpak-info")
    }

    @Test func aProcessWithAHiddenRootMayBeInASandbox() throws {
        let fixture = try ProcessFixture()
        try fixture.add(42)
        try FileManager.default.removeItem(atPath: fixture.path(of: "root", 42))
        #expect(throws: IdentityError(.gone, "root", code: ENOENT)) { try fixture.identity(of: 42) }
    }

    @Test(
        arguments: [
            ("0::/user.slice/user@1000.service/app.slice/snap.firefox.firefox-0b1c.scope", "firefox"),
            ("0::/user.slice/user@1000.service/snap.hello-world.env.0b1c.scope", "hello-world"),
            ("0::/user.slice/user@1000.service/snap.hello\\x2dworld.env.0b1c.scope", "hello-world"),
            ("0::/system.slice/snap.group.slice/snap.lxd_beta.daemon.service", "lxd_beta"),
            ("0::/user.slice/snap.one.app-1.scope/nested", "one"),
            ("7:freezer:/snap.one\n0::/", "one"),
            ("7:freezer:/snap.one\n1:name=systemd:/user.slice/snap.one.app.1.scope", "one"),
        ])
    func identifiesASnapByItsControlGroup(cgroup: String, name: String) throws {
        #expect(try ControlGroups(Array("\(cgroup)\n".utf8)).snap == name)
    }

    @Test(
        arguments: [
            "7:freezer:/snap.one\n0::/user.slice/snap.two.app.1.scope", "0::/snap..app.scope",
            "0::/snap.Big.app.scope", "0::/snap.one_.app.scope", "0::/snap.a_b_c.app.scope",
            "0::/snap.\\xzz.app.scope", "0::/snap.\(String(repeating: "a", count: 41)).app.scope", "rubbish",
            "0:", "0::relative",
        ])
    func contradictingOrInvalidControlGroupsAreAnError(cgroup: String) throws {
        #expect(throws: IdentityError(.malformed, "cgroup")) {
            try ControlGroups(Array("\(cgroup)\n".utf8)).snap
        }
    }

    @Test func otherGroupsAndSlicesAreNotSnaps() throws {
        for cgroup in ["0::/", "0::/snapd.service", "0::/snap.group.slice/x.service", "5:cpu:/snap.one", ""] {
            #expect(try ControlGroups(Array("\(cgroup)\n".utf8)).snap == nil)
        }
    }
}
