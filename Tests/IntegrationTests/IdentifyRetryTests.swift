import DictationRig
import DictationTestKit
import Testing

/// An agent's answer about a client is lost: the client is unknown only for a moment.
@Suite struct IdentifyRetryTests {
    @Test func identifiesAgainAfterALostAnswer() async throws {
        let rig = try await SystemRig(tones)
        do {
            let user = TestUser(5)
            try await rig.logind.addSession("c5", of: user.uid)
            let python = ["/usr/bin/python3", "-uc"]
            let agent = try ChildProcess(user.command(python + [Self.agent, rig.bus.address]))
            _ = try await agent.line(of: .output) { $0 == "ready" }
            let client = try ChildProcess(user.command(python + [Self.client, rig.bus.address]))
            let answer = try await client.line(of: .output) { $0.hasPrefix("known") }
            let refusals = client.lines(of: .output).filter { $0.hasPrefix("refused") }
            // The same connection was refused at first.
            #expect(answer == "known 0")
            #expect(refusals.first == "refused org.freedesktop.DBus.Error.AccessDenied")
            #expect(refusals.count > 3)
            // The agent was asked twice in a row, and again a second later.
            let times = agent.lines(of: .output).compactMap { line in
                line.firstMatch(of: /^identify ([0-9.]+)$/).flatMap { Double($0.output.1) }
            }
            try #require(times.count == 3, "\(times)")
            #expect(times[1] - times[0] < 0.5)
            #expect(times[2] - times[1] >= 0.99 && times[2] - times[1] < 2)
            for process in [agent, client] { process.terminate() }
        } catch {
            Issue.record("\(error)\n\(rig.daemon.text(of: .errors))")
        }
        try await rig.end()
    }

    /// Fails twice, because it is asked again at once.
    private static let agent = """
        import dbus, dbus.bus, dbus.service, os, sys, time
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib
        bus = dbus.bus.BusConnection(sys.argv[1], mainloop=DBusGMainLoop())
        asked = 0
        class Agent(dbus.service.Object):
            @dbus.service.method("org.example.Dictation.Agent", in_signature="ua{sv}", out_signature="a{sv}")
            def Identify(self, pid, options):
                global asked
                asked += 1
                print("identify", time.monotonic())
                if asked <= 2: raise dbus.DBusException("lost", name="org.example.Lost")
                return {"kind": "executable", "id": os.readlink(f"/proc/{pid}/exe")}
        agent = Agent(bus, "/agent")
        bus.call_blocking("org.example.Dictation", "/org/example/Dictation", "org.example.Dictation.AgentManager",
                          "Register", "oasa{sv}", ("/agent", ["identify"], {}), timeout=20)
        print("ready")
        GLib.MainLoop().run()
        """

    /// Unidentified callers may not call StopAll.
    private static let client = """
        import dbus, dbus.bus, sys, time
        bus = dbus.bus.BusConnection(sys.argv[1])
        while True:
            try:
                count = bus.call_blocking("org.example.Dictation", "/org/example/Dictation", "org.example.Dictation",
                                          "StopAll", "a{sv}", ({},), timeout=20)
                print("known", count)
                break
            except dbus.DBusException as error:
                print("refused", error.get_dbus_name())
                time.sleep(0.1)
        """
}
