import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing

/// One user's worker does not answer, and that user makes as many calls as possible: the other user is not delayed.
@Suite struct StuckWorkerTests {
    /// Seconds of it. `packaging/soak worker` has 60.
    private static let seconds =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_SECONDS"].flatMap { Int($0) } ?? 3

    /// Calls that are measured: as many as fit into half of the attack, at 20 ms and a call's time each.
    private static let calls = max(60, seconds * 20)

    private static let linger = ["a{sv}", "1", "linger", "b", "true"]

    @Test func aStuckWorkerDoesNotDelayOtherUsers() async throws {
        try await withUsers { rig, one, other in
            let attack = try one.start([
                "/usr/bin/python3", "-uc", Self.attack, rig.bus.address, "\(Self.seconds)",
            ])
            _ = try await attack.line(of: .output) { $0 == "ready" }
            _ = try await other.busctl("Start", Self.linger)
            try await other.state("listening")
            let quiet = try await latency(of: other, rig)

            let worker = try #require(try one.worker())
            try stopProcess(worker)
            try attack.write("go\n")
            _ = try await attack.line(of: .output) { $0 == "attacking" }
            let beside = try await latency(of: other, rig)
            // Each is a connection that the other user's worker has to identify.
            while !attack.text(of: .output).contains("done") {
                #expect(try await other.state() == "listening")
            }
            try await other.say(Speech.tones(800))
            #expect(try await other.busctl("Commit").contains("\"t800\""))
            print("latency in ms: quiet \(quiet), beside a stuck worker \(beside)")
            // As much slower as the machine has become, by the calls of the bus, is not the service's delay.
            let allowed = max(2 * quiet.service, quiet.service + 20) * max(1, beside.bus / quiet.bus)
            #expect(beside.service < allowed)
            _ = try await rig.daemon.line(of: .errors) { $0.contains("a worker does not answer") }

            // The worker continues, finds that it was given up, and ends. Another one is started.
            kill(worker, SIGCONT)
            attack.kill()
            _ = try await attack.exitStatus()
            try await eventually("the user has a microphone again") {
                try await one.busctl("ListRoutes").contains("microphone-of-5")
            }
        }
    }

    /// Calls wait until the worker has identified the connection: 48 MB are sent, and the service keeps 4 MiB.
    @Test func callsThatWaitForIdentificationAreBounded() async throws {
        try await withUsers { rig, one, _ in
            let worker = try #require(try one.worker())
            try stopProcess(worker)
            let before = try Usage(of: rig.daemon.pid)
            let stranger = try one.start(["/usr/bin/python3", "-uc", Self.stranger, rig.bus.address])
            let answer = try await stranger.line(of: .output)
            let grown = try Usage(of: rig.daemon.pid).kibibytes - before.kibibytes
            // The connection refuses what comes faster than the service handles it, and the mailbox the rest.
            let refusals = [
                "org.example.Dictation.Error.LimitExceeded", "org.freedesktop.DBus.Error.LimitsExceeded",
            ]
            #expect(refusals.contains(answer))
            #expect(isSanitized || grown < 24 << 10, "\(grown) KiB")
            kill(worker, SIGCONT)
            stranger.kill()
            _ = try await stranger.exitStatus()
        }
    }

    /// The median times of a call of the service and of one of the bus after it, in milliseconds.
    private func latency(
        of user: DesktopUser, _ rig: SystemRig
    ) async throws -> (service: Double, bus: Double) {
        let caller = try user.start([
            "/usr/bin/python3", "-uc", Self.latency, rig.bus.address, "\(Self.calls)",
        ])
        let line = try await caller.line(of: .output)
        let times = line.split(separator: " ").compactMap { Double($0) }
        try #require(times.count == 2, "\(line) \(caller.text(of: .errors))")
        return (times[0], times[1])
    }

    private static let attack = #"""
        import dbus, dbus.bus, dbus.lowlevel, sys, time
        def connect(): return dbus.bus.BusConnection(sys.argv[1])
        def message(member, signature="", *arguments, interface="org.example.Dictation"):
            call = dbus.lowlevel.MethodCallMessage("org.example.Dictation", "/org/example/Dictation", interface, member)
            if signature: call.append(*arguments, signature=signature)
            return call
        known = connect()
        known.send_message_with_reply_and_block(message("Start", "a{sv}", {}), 20)
        print("ready")
        sys.stdin.readline()
        print("attacking")
        end = time.time() + float(sys.argv[2])
        strangers = []
        while time.time() < end:
            for _ in range(5):
                for member in "Pause", "Resume": known.send_message(message(member))
            if len(strangers) < 200:
                stranger = connect()
                strangers.append(stranger)
                stranger.send_message(message("CheckPermission"))
                stranger.send_message(message("RequestPermission", "asa{sv}", ["speech"], {}))
                stranger.send_message(message("Set", "a{sv}ss", {"kind": "executable", "id": "/x"}, "speech", "granted",
                    interface="org.example.Dictation.Permissions"))
                stranger.flush()
            known.flush()
            time.sleep(0.02)
        print("done")
        sys.stdin.readline()
        """#

    private static let stranger = """
        import dbus, dbus.bus, dbus.lowlevel, sys
        bus = dbus.bus.BusConnection(sys.argv[1])
        name, path = "org.example.Dictation", "/org/example/Dictation"
        start = dbus.lowlevel.MethodCallMessage(name, path, name, "Start")
        options = dbus.Dictionary({"grammar": "x" * 60000}, signature="sv")
        start.append(options, signature="a{sv}")
        start.set_no_reply(True)
        for _ in range(800): bus.send_message(start.copy())
        bus.flush()
        try:
            print(bus.call_blocking(name, path, name, "Start", "a{sv}", (options,), timeout=20))
        except dbus.DBusException as error:
            print(error.get_dbus_name())
        sys.stdin.readline()
        """

    private static let latency = """
        import dbus, dbus.bus, statistics, sys, time
        bus = dbus.bus.BusConnection(sys.argv[1])
        times = {}
        def measure(*call):
            before = time.monotonic()
            bus.call_blocking(*call, "", (), timeout=20)
            times.setdefault(call, []).append(time.monotonic() - before)
        for _ in range(int(sys.argv[2])):
            measure("org.example.Dictation", "/org/example/Dictation", "org.example.Dictation", "GetSession")
            measure("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
            time.sleep(0.02)
        print(*(statistics.median(found[1:]) * 1000 for found in times.values()))
        """
}
