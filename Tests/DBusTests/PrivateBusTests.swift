import DictationTestKit
import EventLoop
import Glibc
import Testing

@Suite struct PrivateBusTests {
    @Test func twoBusesAreIndependent() async throws {
        let one = try await PrivateBus()
        let other = try await PrivateBus(.system)
        for bus in [one, other] {
            let reply = try await ChildProcess.run(
                [
                    "busctl", "--address=\(bus.address)", "call", "org.freedesktop.DBus",
                    "/org/freedesktop/DBus",
                ]
                    + ["org.freedesktop.DBus", "GetNameOwner", "s", "org.freedesktop.DBus"])
            #expect(reply.output == "s \"org.freedesktop.DBus\"\n", "\(reply.errors)")
        }
        try await one.kill()
        #expect(!one.daemon.isRunning)
        #expect(other.daemon.isRunning)
    }

    @Test func reportsAChildsOutputStatusAndSignal() async throws {
        let shell = try await ChildProcess.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
        #expect(shell.status == .exited(3))
        #expect(shell.output == "out\n")
        #expect(shell.errors == "err\n")

        let cat = try ChildProcess(["cat"])
        try cat.write("one\ntwo\n")
        #expect(try await cat.line(of: .output, where: { $0.hasPrefix("t") }) == "two")
        cat.terminate()
        #expect(try await cat.exitStatus() == .signalled(15))

        await #expect(throws: TestFailure.self) {
            try await ChildProcess(["cat"]).line(of: .output, within: .milliseconds(1))
        }
        #expect(throws: EventLoopError(call: "/does/not/exist", code: ENOENT)) {
            try ChildProcess(["/does/not/exist"])
        }
    }
}
