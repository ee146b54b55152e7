import DictationTestKit
import Glibc
import Testing
import TypingRoutes

@testable import IBus

@Suite struct IBusAddressTests {
    @Test func addressOfTheEnvironmentComesFirst() throws {
        #expect(
            try IBusAddress(environment: ["IBUS_ADDRESS": "unix:path=/x", "DISPLAY": ":0"]).find()
                == "unix:path=/x")
    }

    @Test(arguments: [
        (["DISPLAY": ":7"], "unix-7"), (["DISPLAY": ":7.1"], "unix-7"), (["DISPLAY": "host:0"], "host-0"),
        (["DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-1"], "unix-wayland-1"),
        (["WAYLAND_DISPLAY": "/run/user/1000/wayland-0"], "unix-wayland-0"),
    ])
    func fileIsNamedAfterTheDisplay(variables: [String: String], name: String) throws {
        let file = try IBusAddress(environment: variables.merging(["HOME": "/home/x"]) { $1 }).file()
        #expect(file.hasPrefix("/home/x/.config/ibus/bus/"))
        #expect(file.hasSuffix("-" + name))
    }

    @Test func addressOfADaemonThatRunsIsTaken() throws {
        let address = IBusAddress(environment: [:])
        let text = "# a comment\nIBUS_ADDRESS=unix:path=/tmp/x,guid=a=b\nIBUS_DAEMON_PID=\(getpid())\n"
        #expect(try address.address(in: text) == "unix:path=/tmp/x,guid=a=b")
    }

    @Test(arguments: [
        "", "IBUS_ADDRESS=unix:path=/x\n", "IBUS_ADDRESS=\nIBUS_DAEMON_PID=1\n",
        "IBUS_ADDRESS=unix:path=/x\nIBUS_DAEMON_PID=-1\n",
        "IBUS_ADDRESS=unix:path=/x\nIBUS_DAEMON_PID=99999999999\n",
        "IBUS_ADDRESS=unix:path=/x\nIBUS_DAEMON_PID=4194304\n", "=\n==\n",
    ])
    func otherFilesAreOfNoDaemon(text: String) {
        #expect(throws: IBusAddress.notRunning) { try IBusAddress(environment: [:]).address(in: text) }
    }

    @Test func withoutADisplayThereIsNoSession() {
        #expect(throws: RouteError.self) { try IBusAddress(environment: ["HOME": "/x"]).file() }
    }
}
