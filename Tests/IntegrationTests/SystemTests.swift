import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Testing

/// One service for all users of a machine. Root runs this, and everything in it as other users: accounts with the same
/// numbers on every Debian, because a system bus accepts no unknown ones.
@Suite struct SystemTests {
    private static let linger = ["a{sv}", "1", "linger", "b", "true"]

    @Test func twoUsersGetTheirOwnText() async throws {
        try await withUsers { rig, one, other in
            let monitors = [try one.monitor(), try other.monitor()]
            for user in [one, other] { _ = try await user.busctl("Start", Self.linger) }
            for user in [one, other] { try await user.state("listening") }
            try await one.isShown(by: monitors[0])
            try await other.isShown(by: monitors[1])
            async let first: Void = one.say(Speech.tones(500, 600, 700))
            async let second: Void = other.say(Speech.tones(900, 1000, 1100))
            _ = try await (first, second)
            #expect(try await one.busctl("Commit").contains("\"t500 t600 t700\""))
            #expect(try await other.busctl("Commit").contains("\"t900 t1000 t1100\""))
            _ = try await monitors[0].line(of: .output) { $0.contains("t500 t600 t700") }
            _ = try await monitors[1].line(of: .output) { $0.contains("t900 t1000 t1100") }
            #expect(!monitors[0].text(of: .output).contains("t900"))
            #expect(!monitors[1].text(of: .output).contains("t500"))
            #expect(try await !one.busctl("ListRoutes").contains("microphone-of-9"))
            #expect(try await one.busctl("GetSession").contains("microphone-of-5"))
            try expectNoPrivilege(of: rig.daemon, users: [one, other])
            for user in [one, other] { try await expectThatTheSocketIsClosed(of: user) }
        }
    }

    /// While it captures.
    private func expectNoPrivilege(of daemon: ChildProcess, users: [DesktopUser]) throws {
        let folder = "/proc/\(daemon.pid)"
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8).split(separator: "\n")
        let uid = SystemBus.serviceUser.uid
        #expect(status.contains("Uid:\t\(uid)\t\(uid)\t\(uid)\t\(uid)"))
        for set in ["CapEff", "CapPrm", "CapInh", "CapAmb"] {
            #expect(status.contains("\(set):\t0000000000000000"), "\(set)")
        }
        let homes = ["/root", "/home", "/run/user"] + users.map(\.audio.directory.path)
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd")
        #expect(numbers.count > 5)
        for number in numbers {
            let link = "\(folder)/fd/\(number)"
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else {
                continue
            }
            #expect(!homes.contains { target.hasPrefix($0) }, "\(target)")
        }
    }

    /// As the service's user.
    private func expectThatTheSocketIsClosed(of user: DesktopUser) async throws {
        let probe = """
            import socket, sys
            try: socket.socket(socket.AF_UNIX).connect(sys.argv[1])
            except OSError as error: print(error.errno)
            else: print("connected")
            """
        let result = try await ChildProcess.run(
            SystemBus.serviceUser.command(["/usr/bin/python3", "-c", probe, user.audio.socket]))
        #expect(result.output == "\(EACCES)\n", "\(result.output)\(result.errors)")
    }

    /// A worker that fails is started again, and only its user notices.
    @Test func aWorkerThatFailsReturnsWithItsSession() async throws {
        try await withUsers { _, one, other in
            let monitor = try one.monitor()
            for user in [one, other] { _ = try await user.busctl("Start", Self.linger) }
            for user in [one, other] { try await user.state("listening") }
            let workers = [try one.worker(), try other.worker()]
            try await one.say(Speech.tones(500) + Speech.silence(1.5))
            try await eventually("it is understood") {
                try await one.busctl("GetSession").contains("\"t500\"")
            }
            try await one.killWorker()
            // A lingering session without an owner returns with the next call.
            try await one.state("paused")
            #expect(try await one.busctl("GetSession").contains("\"t500\""))
            _ = try await one.busctl("Resume")
            try await one.state("listening")
            try await one.say(Speech.tones(600))
            // Subscriptions are renewed.
            _ = try await monitor.line(of: .output) { $0.contains("t600") }
            #expect(try await one.busctl("Commit").contains("\"t500 t600\""))
            #expect(try await other.state() == "listening")
            #expect(try one.worker() != workers[0])
            #expect(try other.worker() == workers[1])
        }
    }

    /// The service of the machine is killed: the users' sessions wait, paused, for the next one.
    @Test func sessionsOutliveTheService() async throws {
        try await withUsers { rig, one, other in
            for user in [one, other] { _ = try await user.busctl("Start", Self.linger) }
            for user in [one, other] { try await user.state("listening") }
            for user in [one, other] {
                try await user.say(Speech.tones(500) + Speech.silence(1.5))
                try await eventually("it is understood") {
                    try await user.busctl("GetSession").contains("\"t500\"")
                }
            }
            try await rig.killDaemon()
            for user in [one, other] {
                try await eventually("the microphone is closed") {
                    try await user.audio.graph().nodes(named: "dictation.capture").isEmpty
                }
            }
            try await rig.startDaemon()
            for user in [one, other] { try await user.state("paused") }
            _ = try await one.busctl("Resume")
            try await one.state("listening")
            try await one.say(Speech.tones(600))
            #expect(try await one.busctl("Commit").contains("\"t500 t600\""))
        }
    }

    /// Neither the service nor a user's program does something to help.
    @Test func withoutAWorkerCallsSayWhatToDo() async throws {
        try await withUsers { rig, one, other in
            try await one.endKeeper()
            let start = ContinuousClock.now
            let error = await #expect(throws: TestFailure.self) { try await one.busctl("GetSession") }
            #expect(error?.description.contains("systemctl --user status dictation-worker.path") == true)
            #expect(ContinuousClock.now - start < .seconds(15))
            #expect(try await other.state() == "idle")
            try one.startKeeper()
            try await eventually("the next call is answered") { (try? await one.state()) == "idle" }
        }
    }

    /// The service ends: so do the users' workers, and nothing asks for them. The next call starts one again.
    @Test func theEndOfTheServiceEndsItsWorkers() async throws {
        try await withUsers { rig, one, _ in
            _ = try await one.busctl("Start", Self.linger)
            try await one.state("listening")
            try await eventually("it is requested") {
                FileManager.default.fileExists(atPath: rig.request(ofUser: one.user.uid))
            }
            try await rig.restartDaemon()
            #expect(!FileManager.default.fileExists(atPath: rig.request(ofUser: one.user.uid)))
            try await eventually("the worker has ended") { try one.worker() == nil }
            let text = one.keeper?.text(of: .errors) ?? ""
            #expect(!text.contains("has to be started again"), "\(text)")
            #expect(try await one.state() == "idle")
        }
    }

    @Test func survivesARestartOfTheUsersAudioServer() async throws {
        try await withUsers { _, one, _ in
            _ = try await one.busctl("Start", Self.linger)
            try await one.state("listening")
            try await one.audio.kill()
            try await one.state("interrupted")
            try await one.audio.start()
            let microphone = try DriverMicrophone("another", of: one.audio)
            try await one.state("listening")
            microphone.play(Speech.tones(700))
            try await eventually("it is understood") { try await one.busctl("GetSession").contains("t700") }
            microphone.unplug()
        }
    }

    /// A WirePlumber 0.4 that was restarted may link nothing; the worker does.
    @Test func survivesARestartOfTheUsersSessionManager() async throws {
        try await withUsers { _, one, other in
            for user in [one, other] { _ = try await user.busctl("Start", Self.linger) }
            for user in [one, other] { try await user.state("listening") }
            try await one.say(Speech.tones(500))
            let links = try await one.audio.graph()
                .links(feeding: "dictation.capture", bySessionManager: true)
            try await one.audio.killSessionManager()
            try await eventually("the session manager's link is gone") {
                try await one.audio.graph().links(feeding: "dictation.capture").isDisjoint(with: links)
            }
            try await one.audio.startSessionManager()
            try await eventually("it is linked again", within: .seconds(10)) {
                let graph = try await one.audio.graph()
                return graph.links("microphone-of-5", to: "dictation.capture")
                    && graph.linkClients(feeding: "dictation.capture").count == 1
            }
            try await one.state("listening")
            try await one.say(Speech.tones(700))
            #expect(try await one.busctl("Commit").contains("\"t500 t700\""))
            #expect(try await other.state() == "listening")
        }
    }

    @Test func lockingInterruptsThatUserOnly() async throws {
        try await withUsers { rig, one, other in
            for user in [one, other] { _ = try await user.busctl("Start", Self.linger) }
            for user in [one, other] { try await user.state("listening") }
            try await rig.logind.lock(one.session)
            try await one.state("interrupted")
            #expect(try await one.busctl("GetSession").contains("\"session-locked\""))
            try await other.say(Speech.tones(800))
            #expect(try await other.busctl("Commit").contains("\"t800\""))
            try await rig.logind.unlock(one.session)
            try await one.state("listening")
        }
    }

    @Test func theScreenSaverOfTheSessionCounts() async throws {
        try await withUsers { _, one, other in
            let bus = try await PrivateBus(.system)
            chmod(bus.directory.path, 0o711)
            let connection = try await Connection(to: .custom(bus.address))
            let screenSaver = try await MockScreenSaver(
                "org.gnome.ScreenSaver", at: "/org/gnome/ScreenSaver", interface: "org.gnome.ScreenSaver",
                on: bus.address, by: connection, as: one.user)
            try await one.endKeeper()
            try one.startKeeper(sessionBus: bus.address)
            for user in [one, other] { _ = try await user.busctl("Start", Self.linger) }
            for user in [one, other] { try await user.state("listening") }
            try await screenSaver.setActive(true)
            try await one.state("interrupted")
            #expect(try await one.busctl("GetSession").contains("\"org.gnome.ScreenSaver\""))
            #expect(try await other.state() == "listening")
            try await screenSaver.setActive(false)
            try await one.state("listening")
            await connection.close()
        }
    }

    @Test func textIsNeverBroadcast() async throws {
        try await withUsers { _, one, _ in
            await #expect(throws: TestFailure.self) {
                try await one.busctl("Start", ["a{sv}", "1", "broadcast", "b", "true"])
            }
            let state = try await one.state()
            #expect(state == "idle")
        }
    }

    @Test func polkitConfirmsGrantsOnly() async throws {
        try await withUsers(allowsEveryone: false) { rig, one, _ in
            func set(_ status: String) async throws {
                let client = ["a{sv}", "2", "kind", "s", "executable", "id", "s", "/usr/bin/busctl"]
                _ = try await one.busctl(
                    "Set", ["a{sv}ss"] + client.dropFirst() + ["microphone", status],
                    of: DictationPermissionsInterface.name)
            }
            func status() async throws -> String { try await one.busctl("CheckPermission") }
            await #expect(throws: TestFailure.self, "polkit is not there") { try await set("granted") }
            let polkit = try await rig.startPolkit()
            await #expect(throws: TestFailure.self, "polkit refuses") { try await set("granted") }
            #expect(try await status().contains(#""microphone" "not-determined""#))
            try await set("denied")
            #expect(try await status().contains(#""microphone" "denied""#))
            try await polkit.steer(
                "/org/freedesktop/PolicyKit1/Authority", "SetAllowed",
                [Value(["org.example.dictation.manage-permissions"])])
            try await set("granted")
            #expect(try await status().contains(#""microphone" "granted""#))
            try await polkit.kill()
        }
    }

    /// Its user may take minutes to answer. The service manager waits for ten seconds.
    @Test func theEndOfTheServiceDoesNotWaitForPolkit() async throws {
        let polkit = """
            import dbus, dbus.bus, dbus.service, sys
            from dbus.mainloop.glib import DBusGMainLoop
            from gi.repository import GLib
            bus = dbus.bus.BusConnection(sys.argv[1], mainloop=DBusGMainLoop())
            class Authority(dbus.service.Object):
                @dbus.service.method("org.freedesktop.PolicyKit1.Authority", in_signature="(sa{sv})sa{ss}us",
                                     out_signature="(bba{ss})", async_callbacks=("answer", "fail"))
                def CheckAuthorization(self, subject, action, details, flags, cancellation, answer, fail):
                    print("asked")
            name = dbus.service.BusName("org.freedesktop.PolicyKit1", bus)
            authority = Authority(bus, "/org/freedesktop/PolicyKit1/Authority")
            print("ready")
            GLib.MainLoop().run()
            """
        try await withUsers(allowsEveryone: false) { rig, one, _ in
            let polkit = try ChildProcess(["/usr/bin/python3", "-uc", polkit, rig.bus.address])
            _ = try await polkit.line(of: .output) { $0 == "ready" }
            let grant = try one.start([
                "busctl", "--address=\(rig.bus.address)", "call", "\(DictationInterface.busName)",
                "\(DictationInterface.path)", "\(DictationPermissionsInterface.name)", "Set", "a{sv}ss", "2",
                "kind",
                "s", "executable", "id", "s", "/usr/bin/busctl", "microphone", "granted",
            ])
            _ = try await polkit.line(of: .output) { $0 == "asked" }
            let start = ContinuousClock.now
            rig.daemon.terminate()
            #expect(try await rig.daemon.exitStatus() == .exited(0))
            #expect(ContinuousClock.now - start < .seconds(60))
            #expect(try await grant.exitStatus() == .exited(1))
            #expect(grant.text(of: .errors).contains("The service is ending."))
            polkit.terminate()
        }
    }

    /// `packaging/soak spy` has 1,000.
    private static let utterances =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_UTTERANCES"].flatMap { Int($0) } ?? 20

    /// An eavesdropper with another account, which subscribes to everything on the bus.
    @Test func anEavesdropperGetsNoText() async throws {
        let program = """
            import dbus, dbus.bus, dbus.mainloop.glib, sys
            from gi.repository import GLib
            dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
            bus = dbus.bus.BusConnection(sys.argv[1])
            bus.add_message_filter(lambda _, m: print(m.get_member(), m.get_args_list(), flush=True))
            for rule in ["", "eavesdrop='true'", "type='method_return',eavesdrop='true'",
                         "type='method_call',eavesdrop='true'", "interface='org.example.Dictation'"]:
                try: bus.add_match_string(rule)
                except dbus.DBusException as error: print(rule, error.get_dbus_name(), flush=True)
            try: bus.call_blocking("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Monitoring",
                                   "BecomeMonitor", "asu", (dbus.Array([], "s"), dbus.UInt32(0)))
            except dbus.DBusException as error: print(error.get_dbus_name(), flush=True)
            print("listening", flush=True)
            GLib.MainLoop().run()
            """
        try await withUsers { rig, one, other in
            let spy = try ChildProcess(
                TestUser.nobody.command(["/usr/bin/python3", "-c", program, rig.bus.address]))
            _ = try await spy.line(of: .output) { $0 == "org.freedesktop.DBus.Error.AccessDenied" }
            _ = try await spy.line(of: .output) { $0 == "listening" }
            _ = try await one.busctl("Start", Self.linger)
            try await one.state("listening")
            let monitors = [try one.monitor(), try other.monitor()]
            for number in 0..<Self.utterances {
                let tone = 500 + 100 * (number % 30)
                try await one.say(Speech.tones(tone))
                #expect(try await one.busctl("Commit").contains("t\(tone)"))
            }
            // The user's own programs get the signals.
            let last = 500 + 100 * ((Self.utterances - 1) % 30)
            _ = try await monitors[0].line(of: .output) { $0.contains("\"t\(last)\"") }
            // It gets broadcast signals.
            _ = try await spy.line(of: .output) { $0.contains("NameOwnerChanged") }
            let heard = spy.text(of: .output)
            let text = heard.matches(of: /\bt[0-9]{3,4}\b/)
            #expect(text.isEmpty)
            #expect(!monitors[1].text(of: .output).contains("final"))
            print(
                "\(Self.utterances) utterances: the spy read \(heard.utf8.count) bytes, \(text.count) of text"
            )
            spy.kill()
            _ = try await spy.exitStatus()
        }
    }
}
