import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing

/// A user runs a program of their own as their worker. It can disturb that user's clients, and nobody else.
@Suite struct HostileWorkerTests {
    /// Seconds of a flood.
    private static let seconds = 3
    private static let calls = 100

    /// Starts the program in place of the first user's worker, and calls until it has greeted.
    private func replaceWorker(
        of user: DesktopUser, on rig: SystemRig, _ arguments: [String]
    ) async throws -> (hostile: ChildProcess, call: ChildProcess) {
        try await user.endKeeper()
        try await eventually("the worker is no longer requested") {
            !FileManager.default.fileExists(atPath: rig.request(ofUser: user.user.uid))
        }
        let hostile = try user.start(
            ["/usr/bin/python3", "-uc", Self.worker, rig.request(ofUser: user.user.uid)] + arguments)
        // Its calls are never answered.
        let call = try user.start([
            "busctl", "--address=\(rig.bus.address)", "--timeout=100", "call",
            "\(DictationInterface.busName)",
            "\(DictationInterface.path)", "\(DictationInterface.name)", "GetSession",
        ])
        _ = try await hostile.line(of: .output) { $0 == "greeted" }
        return (hostile, call)
    }

    private func end(_ processes: ChildProcess...) async throws {
        for process in processes {
            process.kill()
            _ = try await process.exitStatus()
        }
    }

    /// Neither clients that have called the service, nor others, and neither after Hello nor before it.
    @Test(arguments: [("forge", "known"), ("forge", "unknown"), ("forge-first", "unknown")])
    func itReachesNoClientOfAnotherUser(kind: String, client: String) async throws {
        try await withUsers { rig, one, other in
            let client = try other.start([
                "/usr/bin/python3", "-uc", Self.listener, rig.bus.address, client,
            ])
            let name = try await client.line(of: .output) { $0.hasPrefix(":") }
            let (hostile, call) = try await replaceWorker(of: one, on: rig, [kind, name])
            _ = try await hostile.line(of: .output) { $0 == "sent" }
            // What comes after all of that.
            try client.write("end\n")
            _ = try await client.line(of: .output) { $0 == "end" }
            #expect(client.lines(of: .output).filter { $0.hasPrefix("got") }.isEmpty)
            try await end(hostile, call, client)
        }
    }

    /// Signals for its own user's client as fast as it can, and as large as they may be.
    @Test(arguments: ["flood", "large"])
    func itDelaysNoOtherUser(kind: String) async throws {
        try await withUsers { rig, one, other in
            _ = try await other.busctl("GetSession")
            let client = try one.start(["/usr/bin/python3", "-uc", Self.listener, rig.bus.address, "call"])
            let name = try await client.line(of: .output) { $0.hasPrefix(":") }
            var rounds: [(quiet: Double, beside: Double)] = []
            // A delay by the worker is in each round, one by the machine is not.
            repeat {
                let quiet = try await latency(of: other, rig)
                let (hostile, call) = try await replaceWorker(of: one, on: rig, [kind, name])
                _ = try await hostile.line(of: .output) { $0 == "sending" }
                rounds.append((quiet, try await latency(of: other, rig)))
                try await end(hostile, call)
                try one.startKeeper()
                try await eventually("the user is served again", within: .seconds(60)) {
                    (try? await one.state()) == "idle"
                }
            } while !rounds.contains(where: Self.isUndelayed) && rounds.count < 5
            print("p99 in ms, quiet and beside \(kind): \(rounds)")
            #expect(rounds.contains(where: Self.isUndelayed), "\(rounds)")
            try await end(client)
        }
    }

    /// A busy machine adds some milliseconds.
    private static func isUndelayed(_ round: (quiet: Double, beside: Double)) -> Bool {
        round.beside < max(2 * round.quiet, round.quiet + 20)
    }

    /// The system bus drops a connection that sends a message of more than 32 MiB.
    @Test func aMessageThatTheBusDoesNotTakeIsNotPassedOn() async throws {
        try await withUsers { rig, one, other in
            _ = try await other.busctl("GetSession")
            let client = try one.start(["/usr/bin/python3", "-uc", Self.listener, rig.bus.address, "call"])
            let name = try await client.line(of: .output) { $0.hasPrefix(":") }
            let (hostile, call) = try await replaceWorker(of: one, on: rig, ["huge", name])
            #expect(try await call.exitStatus() != .exited(0), "the worker is cut off")
            #expect(try await other.state() == "idle")
            try await end(hostile, client)
        }
    }

    @Test(arguments: ["garbage", "silence"])
    func itsOwnUserIsServedAgain(kind: String) async throws {
        try await withUsers { rig, one, other in
            let (hostile, call) = try await replaceWorker(of: one, on: rig, [kind])
            #expect(try await call.exitStatus() != .exited(0), "the call fails")
            #expect(try await other.state() == "idle")
            try await end(hostile)
            try one.startKeeper()
            try await eventually("the user is served again", within: .seconds(60)) {
                (try? await one.state()) == "idle"
            }
        }
    }

    /// A denial counts at once, also if the worker does not obey.
    @Test func aDenialCutsOffAWorkerThatStandsStill() async throws {
        try await withUsers(allowsEveryone: false) { rig, one, _ in
            // Known before: what is not known then may not set permissions.
            let settings = try one.start(["/usr/bin/python3", "-uc", Self.settings, rig.bus.address])
            _ = try await settings.line(of: .output) { $0 == "ready" }
            let worker = try #require(try one.worker())
            try stopProcess(worker)
            let start = ContinuousClock.now
            try settings.write("deny\n")
            _ = try await settings.line(of: .output) { $0 == "denied" }
            #expect(ContinuousClock.now - start < .seconds(8))
            _ = try await rig.daemon.line(of: .errors) { $0.contains("a worker does not obey a decision") }
            kill(worker, SIGCONT)
            try await end(settings)
        }
    }

    private static let settings = """
        import dbus, dbus.bus, sys
        bus = dbus.bus.BusConnection(sys.argv[1])
        def call(interface, member, signature="", *arguments):
            return bus.call_blocking("org.example.Dictation", "/org/example/Dictation", interface, member, signature,
                                     arguments, timeout=20)
        call("org.example.Dictation", "CheckPermission")
        print("ready")
        sys.stdin.readline()
        call("org.example.Dictation.Permissions", "Set", "a{sv}ss", {"kind": "executable", "id": "/usr/bin/busctl"},
             "microphone", "denied")
        print("denied")
        sys.stdin.readline()
        """

    /// The 99th percentile of a call's time on one connection, in milliseconds.
    private func latency(of user: DesktopUser, _ rig: SystemRig) async throws -> Double {
        let caller = try user.start([
            "/usr/bin/python3", "-uc", Self.latency, rig.bus.address, "\(Self.calls)",
        ])
        let line = try await caller.line(of: .output)
        return try #require(Double(line), "\(line) \(caller.text(of: .errors))")
    }

    private static let latency = """
        import dbus, dbus.bus, sys, time
        bus = dbus.bus.BusConnection(sys.argv[1])
        times = []
        for _ in range(int(sys.argv[2])):
            before = time.time()
            bus.call_blocking("org.example.Dictation", "/org/example/Dictation", "org.example.Dictation", "GetSession",
                              "", (), timeout=20)
            times.append(time.time() - before)
            time.sleep(0.01)
        print(sorted(times[1:])[-2] * 1000)
        """

    /// Prints its name, and what it gets from the service.
    private static let listener = """
        import dbus, dbus.bus, sys, threading
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib
        bus = dbus.bus.BusConnection(sys.argv[1], mainloop=DBusGMainLoop())
        owner = bus.get_name_owner("org.example.Dictation")
        def call():
            bus.call_blocking("org.example.Dictation", "/org/example/Dictation", "org.example.Dictation", "CheckPermission",
                              "", (), timeout=20)
        if sys.argv[2] != "unknown": call()
        bus.add_match_string("type='signal',sender='org.example.Dictation'")
        def show(_, message):
            if message.get_sender() == owner and message.get_type() == 4 and sys.argv[2] != "call":
                print("got", message.get_member(), message.get_args_list())
        bus.add_message_filter(show)
        print(bus.get_unique_name())
        def end():
            # Its reply follows what was passed on before.
            call()
            GLib.idle_add(lambda: print("end"))
        def read():
            for line in sys.stdin: GLib.idle_add(end)
        threading.Thread(target=read, daemon=True).start()
        GLib.MainLoop().run()
        """

    /// Waits for the request, greets as a worker does, and then does what its argument says.
    private static let worker = #"""
        import dbus, dbus.connection, dbus.lowlevel, os, socket, sys, threading, time
        request, what, target = sys.argv[1], sys.argv[2], (sys.argv + [""])[3]
        while not os.path.exists(request): time.sleep(0.01)
        path = open(request).read().split("\n")[0]
        peer = dbus.connection.Connection("unix:path=" + path)
        broker = "org.example.Dictation.Broker"
        def signal(text, destination=None, interface="org.example.Dictation", member="Final", path="/org/example/Dictation"):
            message = dbus.lowlevel.SignalMessage(path, interface, member)
            message.append(dbus.UInt64(1), dbus.UInt64(1), text, dbus.Dictionary({}, "sv"), signature="ttsa{sv}")
            if destination: message.set_destination(destination)
            return message
        def forge():
            for destination in (target, None, "org.freedesktop.DBus", ":1.0"): peer.send_message(signal("forged", destination))
        if what == "forge-first": forge()
        hello = dbus.lowlevel.MethodCallMessage(None, "/org/example/Dictation/Peer", broker, "Hello")
        hello.append({"protocol": dbus.UInt32(2), "uid": dbus.UInt32(os.getuid()), "session": dbus.UInt64(0),
                      "owners": dbus.Array([], "(sss)"),
                      "applications": dbus.Array([], "(ss)")}, signature="a{sv}")
        peer.send_message_with_reply_and_block(hello, 20)
        needed = dbus.lowlevel.MethodCallMessage(None, "/org/example/Dictation/Peer", broker, "Needed")
        needed.append(True, signature="b")
        peer.send_message(needed)
        print("greeted")
        if what.startswith("forge"):
            if what == "forge": forge()
            call = dbus.lowlevel.MethodCallMessage(target, "/", "org.example.Forged", "Call")
            peer.send_message(call)
            # Its reply follows all of these.
            peer.send_message_with_reply_and_block(needed, 20)
            print("sent")
        elif what in ("flood", "large"):
            message = signal("x" * (10 if what == "flood" else 3 << 20), target)
            peer.send_message(message)
            print("sending")
            while True:
                try: peer.send_message(signal("x" * (10 if what == "flood" else 3 << 20), target))
                except Exception: break
                peer.flush()
        elif what == "huge":
            peer.send_message(signal("x" * (40 << 20), target))
            peer.flush()
        elif what == "garbage":
            os.write(max(int(f) for f in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + f)
                         and "socket" in os.readlink("/proc/self/fd/" + f)), b"garbage" * 1000)
        time.sleep(1000)
        """#
}
