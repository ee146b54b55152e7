import DictationTestKit
import Foundation
import Glibc

/// A system bus with this project's policy. Another user takes the place of `dictation`.
struct PolicyBus {
    /// A user of Debian's base system, so that none has to be created.
    static let serviceUser = "daemon"

    let address: String
    private let directory: TemporaryDirectory
    private let daemon: ChildProcess

    init() async throws {
        directory = try TemporaryDirectory()
        // Other users' programs need access to the socket.
        chmod(directory.path, 0o711)
        let socket = directory.path(of: "bus")
        let stock = try String(contentsOfFile: "/usr/share/dbus-1/system.conf", encoding: .utf8)
        let file = try directory.write(
            stock
                .replacing(/<listen>[^<]*<\/listen>/, with: "<listen>unix:path=\(socket)</listen>")
                .replacing("<user>messagebus</user>", with: "")
                .replacing("<fork/>", with: "")
                .replacing(/<pidfile>[^<]*<\/pidfile>/, with: ""),
            to: "system.conf")
        let policy = try String(contentsOf: PolicyTests.file, encoding: .utf8)
        try directory.write(
            policy.replacing("user=\"dictation\"", with: "user=\"\(Self.serviceUser)\""),
            to: "system.d/org.example.Dictation.conf")
        daemon = try ChildProcess([
            "dbus-daemon", "--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=1",
        ])
        address = try await daemon.line(of: .output)
    }

    /// A command as it runs for another user.
    static func command(_ command: [String], as user: String) -> [String] {
        ["setpriv", "--reuid=\(user)", "--regid=nogroup", "--clear-groups"] + command
    }

    /// Owns the service's name and answers every call. Each message is a line of its output.
    func startService() async throws -> ChildProcess {
        let service = try ChildProcess(
            Self.command(["/usr/bin/python3", "-uc", Self.service, address], as: Self.serviceUser))
        _ = try await service.line(of: .output) { $0 == "ready" }
        return service
    }

    /// Sends each message as `user` and returns the results: `reached`, or the error's name.
    func outcomes(of attempts: [Attempt], as user: String) async throws -> [String] {
        let caller = try ChildProcess(
            Self.command(["/usr/bin/python3", "-uc", Self.caller, address], as: user))
        try caller.write(attempts.map(\.line).joined(separator: "\n") + "\n")
        caller.closeInput()
        let status = try await caller.exitStatus()
        guard status == .exited(0) else { throw TestFailure(caller.text(of: .errors)) }
        return caller.lines(of: .output)
    }

    /// The bus's reply when `user` requests the service's name.
    func claim(as user: String) async throws -> String {
        let call = [
            "gdbus", "call", "--address", address, "--dest", "org.freedesktop.DBus", "--object-path",
            "/org/freedesktop/DBus", "--method", "org.freedesktop.DBus.RequestName", PolicyTests.name, "4",
        ]
        let result = try await ChildProcess.run(Self.command(call, as: user))
        return result.output + result.errors
    }

    /// A message to the service.
    struct Attempt: Hashable, Sendable {
        var interface: String?
        var member: String
        var descriptors = 0
        var isSignal = false

        /// As the calling program reads it.
        fileprivate var line: String {
            "\(interface ?? "-") \(member) \(descriptors) \(isSignal ? "signal" : "call")"
        }
    }

    private static let service = """
        import dbus, dbus.lowlevel, dbus.mainloop.glib, sys
        from gi.repository import GLib
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        bus = dbus.bus.BusConnection(sys.argv[1])
        def answer(connection, message):
            if message.get_sender() == "org.freedesktop.DBus": return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
            print(message.get_interface(), message.get_member())
            if not message.get_no_reply():
                connection.send_message(dbus.lowlevel.MethodReturnMessage(message))
            return dbus.lowlevel.HANDLER_RESULT_HANDLED
        bus.add_message_filter(answer)
        assert bus.request_name("org.example.Dictation") == 1
        print("ready")
        GLib.MainLoop().run()
        """

    private static let caller = """
        import dbus, dbus.lowlevel, sys
        bus = dbus.bus.BusConnection(sys.argv[1])
        name = "org.example.Dictation"
        for line in sys.stdin:
            interface, member, descriptors, kind = line.split()
            if kind == "signal":
                message = dbus.lowlevel.SignalMessage("/org/example/Dictation", interface, member)
                message.set_destination(name)
                bus.send_message(message)
                bus.flush()
                print("sent")
                continue
            message = dbus.lowlevel.MethodCallMessage(
                name, "/org/example/Dictation", None if interface == "-" else interface, member)
            for _ in range(int(descriptors)): message.append(dbus.types.UnixFd(0))
            try:
                bus.send_message_with_reply_and_block(message, 20)
                print("reached")
            except dbus.DBusException as error:
                print(error.get_dbus_name())
        """
}
