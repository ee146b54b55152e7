import DictationRig
import DictationTestKit
import Testing

/// On a session bus every program may reply to other programs' calls.
@Suite struct ForgedReplyTests {
    /// A denied program replies to the service's question about itself in the bus's place, naming the process of a
    /// granted program.
    @Test func aForgedAnswerAboutTheCallersProcessIsIgnored() async throws {
        let program = executable("dictation-cli")
        let rules = "permissions:\n  allow: [\"executable:\(program)\"]\n"
        try await withRig(tones + rules, allowsEveryone: false) { rig in
            let permitted = try rig.start([program, "monitor", "--address", rig.bus.address])
            let forger = try rig.start([
                "/usr/bin/python3", "-uc", Self.forger, rig.bus.address, "\(permitted.pid)",
            ])
            let line = try await forger.line(of: .output) { $0.hasPrefix("done") }
            #expect(!rig.daemon.text(of: .errors).contains("could not be identified"))
            // Twenty denied callers.
            #expect(line == "done 20 0", "\(forger.text(of: .output)) \(forger.text(of: .errors))")
            // The program whose process was named is granted.
            let check = try await ChildProcess.run(
                [program, "permissions", "--address", rig.bus.address], environment: rig.environment)
            #expect(check.status == .exited(0), "\(check.errors)")
            permitted.terminate()
        }
    }

    private static let forger = """
        import os, sys
        from gi.repository import Gio, GLib
        name, path = "org.example.Dictation", "/org/example/Dictation"
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        def connect(): return Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
        def check(connection):
            call = Gio.DBusMessage.new_method_call(name, path, name, "CheckPermission")
            return connection.send_message_with_reply_sync(call, Gio.DBusSendMessageFlags.NONE, 20000, None)[0]
        forger = connect()
        service = forger.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetNameOwner",
                                   GLib.Variant("(s)", (name,)), None, 0, -1, None).unpack()[0]
        credentials = GLib.Variant("(a{sv})", ({"UnixUserID": GLib.Variant("u", os.getuid()),
                                                "ProcessID": GLib.Variant("u", int(sys.argv[2]))},))
        def forge(serial):
            reply = Gio.DBusMessage.new()
            reply.set_message_type(Gio.DBusMessageType.METHOD_RETURN)
            reply.set_flags(Gio.DBusMessageFlags.NO_REPLY_EXPECTED)
            reply.set_destination(service)
            reply.set_reply_serial(serial)
            reply.set_body(credentials)
            forger.send_message(reply, Gio.DBusSendMessageFlags.NONE)
        ready = 0
        for round in range(20):
            serial = check(forger).get_serial()
            caller = connect()
            caller.call(name, path, name, "CheckPermission", None, None, 0, -1, None, None)
            for guess in list(range(serial + 1, serial + 17)) * 20: forge(guess)
            if check(caller).get_body().unpack()[1]: ready += 1
        print("done", round + 1, ready)
        """
}
