import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc

/// An ordinary client: Python, unchanged, under another name, or without an identity. It makes calls on its own
/// connections and returns the results.
final class OtherProgram: Sendable {
    /// How the service identifies it.
    enum Kind: Hashable {
        /// A unique program: a copy of Python with this name.
        case program(String)
        /// In a Flatpak sandbox, as far as the service can see: its root has the file that names the application, and
        /// nothing else of Flatpak.
        case sandboxed(String)
        /// Its file was deleted while it runs, so it cannot be identified.
        case unknown
        /// Of another user.
        case stranger
    }

    struct Outcome: Hashable, Sendable {
        /// Empty if it succeeded.
        var error: String
        /// The first returned value, if it has a state.
        var state: String
        /// The returned text and finished blocks.
        var text = ""
        /// Of a returned session: number, state, reasons, block and commits in progress, as JSON; of a started one: its
        /// number.
        var session = ""
    }

    let process: ChildProcess
    private let calls = Lock(0)

    private static let python = "/usr/bin/python3"

    init(_ kind: Kind, on rig: Rig) async throws {
        let folder = rig.home.path(of: "programs")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func copy(_ name: String) throws -> String {
            let path = "\(folder)/\(name)"
            let python = try FileManager.default.destinationOfSymbolicLink(atPath: Self.python)
            try FileManager.default.copyItem(atPath: "/usr/bin/\(python)", toPath: path)
            return path
        }
        let script = ["-uc", Self.script, rig.bus.address]
        switch kind {
        case .program(let name):
            process = try rig.start([try copy(name)] + script)
        case .unknown:
            let path = try copy("nameless")
            process = try rig.start([path] + script)
            _ = try await process.line(of: .output) { $0 == "ready" }
            try FileManager.default.removeItem(atPath: path)
        case .sandboxed(let id):
            guard getuid() == 0 else { throw TestFailure("needs root: to make a root like a sandbox's") }
            let root = rig.home.path(of: "sandbox")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            process = try rig.start(
                ["unshare", "--mount", "sh", "-ec", Self.sandbox, "sh", root, id, Self.python] + script)
        case .stranger:
            guard getuid() == 0 else { throw TestFailure("needs root: to run a program as another user") }
            chmod(rig.bus.directory.path, 0o711)
            process = try rig.start(
                ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", Self.python] + script)
        }
        _ = try await process.line(of: .output) { $0 == "ready" }
    }

    /// The file system of a sandboxed application, as far as Python needs one.
    private static let sandbox = """
        root=$1 id=$2; shift 2
        mount -t tmpfs none "$root"
        mkdir "$root/usr" "$root/proc" "$root/dev" "$root/tmp" "$root/etc"
        ln -s usr/lib usr/lib64 usr/bin "$root/"
        mount --rbind /usr "$root/usr"
        mount --bind /tmp "$root/tmp"
        mount --rbind /dev "$root/dev"
        printf '[Application]\\nname=%s\\n' "$id" > "$root/.flatpak-info"
        exec chroot "$root" "$@"
        """

    /// Makes a call on a connection, and opens it if necessary.
    /// - Parameters:
    ///   - arguments: as JSON.
    ///   - waits: whether to wait for the reply; otherwise the call counts as done when it is sent.
    @discardableResult
    func call(
        _ method: InterfaceMethods.Method, _ arguments: String = "[]", on connection: String = "first",
        waits: Bool = true
    ) async throws -> Outcome {
        let number = calls.withLock { calls in
            calls += 1
            return calls
        }
        let words = [
            "\(number)", connection, method.interface, method.name,
            method.signature.isEmpty ? "-" : method.signature,
            waits ? "waits" : "leaves", arguments,
        ]
        try process.write(words.joined(separator: " ") + "\n")
        let answer = try await process.line(of: .output) { $0.hasPrefix("\(number) ") }
        let parts = answer.split(separator: " ", omittingEmptySubsequences: false)
        return Outcome(
            error: String(parts[1]), state: String(parts[2]), text: parts.dropFirst(4).joined(separator: " "),
            session: String(parts[3]))
    }

    /// Closes a connection, like a program that ends.
    func close(_ connection: String) async throws {
        try await call(.init(interface: "-", name: "close", signature: ""), on: connection)
    }

    private static let script = #"""
        import dbus, dbus.lowlevel, json, sys
        connections = {}
        def connection(name):
            if name not in connections:
                connections[name] = dbus.bus.BusConnection(sys.argv[1])
                connections[name].set_exit_on_disconnect(False)
            return connections[name]
        print("ready")
        for line in sys.stdin:
            number, name, interface, member, signature, waits, arguments = line.rstrip("\n").split(" ", 6)
            if member == "close":
                if name in connections: connections.pop(name).close()
                print(number, "", "", "", "")
                continue
            target = ("org.example.Dictation", "/org/example/Dictation", interface, member)
            arguments = json.loads(arguments)
            signature = "" if signature == "-" else signature
            error = state = session = text = ""
            try:
                if waits == "waits":
                    result = connection(name).call_blocking(*target, signature, arguments, timeout=60)
                    if isinstance(result, int):
                        session = str(result)
                    if isinstance(result, dict):
                        state = str(result.get("state", ""))
                        shown = {key: result[key] for key in
                            ("session", "state", "reasons", "block", "pending") if key in result}
                        session = json.dumps(shown, separators=(",", ":"))
                        text = " ".join([str(result.get("text", ""))] + [str(t) for _, t in result.get("finals", [])])
                else:
                    message = dbus.lowlevel.MethodCallMessage(*target)
                    if arguments: message.append(*arguments, signature=signature)
                    connection(name).send_message(message)
                    connection(name).flush()
            except dbus.DBusException as refusal:
                error = refusal.get_dbus_name()
            print(number, error, state, session, text)
        """#
}
