import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Testing

/// Every invalid input gets one named error, and the daemon continues.
@Suite struct BadInputTests {
    @Test func everyInvalidCallHasItsError() async throws {
        try await withRig(tones) { rig in
            let client = try await TestClient(on: rig)
            let dictation = client.dictation
            func refusal(_ body: @escaping @Sendable () async throws -> Void) async -> String? {
                do {
                    try await body()
                    return nil
                } catch {
                    return (error as? DBusError)?.name.rawValue
                }
            }
            let invalid = ErrorName.invalidArgs.rawValue
            #expect(
                await refusal { try await dictation.pause() } == "org.example.Dictation.Error.NotRunning")
            #expect(
                await refusal { _ = try await dictation.commit() }
                    == "org.example.Dictation.Error.NotRunning"
            )
            #expect(
                await refusal { _ = try await dictation.start(options: ["linger": .string("yes")]) }
                    == invalid)
            #expect(
                await refusal { _ = try await dictation.start(options: ["speech-seconds": .uint32(4)]) }
                    == invalid)
            for option in [
                ["auto-commit": Value.uint32(199)], ["auto-commit": .uint32(60_001)],
                ["playback": .string("loud")], ["speech-seconds": .uint32(61)],
            ] as [[BusText: Value]] {
                #expect(
                    await refusal { _ = try await dictation.start(options: option) } == invalid, "\(option)")
            }
            #expect(
                await refusal { _ = try await dictation.start(options: ["language": .string("tlh")]) }
                    == "org.example.Dictation.Error.UnsupportedLanguage")
            #expect(
                await refusal { _ = try await dictation.start(options: ["engine": .string("ear")]) }
                    == "org.example.Dictation.Error.EngineUnavailable")
            let folder = Descriptor(owning: open("/tmp", O_RDONLY | O_CLOEXEC))
            #expect(
                await refusal { _ = try await dictation.start(options: ["input": .descriptor(folder)]) }
                    == "org.example.Dictation.Error.UnsupportedFormat")
            let text = Descriptor(owning: open("/etc/passwd", O_RDONLY | O_CLOEXEC))
            #expect(
                await refusal { _ = try await dictation.start(options: ["input": .descriptor(text)]) }
                    == "org.example.Dictation.Error.UnsupportedFormat")
            #expect(
                await refusal { try await dictation.selectRoute(name: "nowhere", options: [:]) }
                    == "org.example.Dictation.Error.NoSource")
            #expect(
                await refusal {
                    _ = try await dictation.requestPermission(resources: ["camera"], options: [:])
                }
                    == invalid)

            // Unknown keys are ignored.
            _ = try await dictation.start(options: ["colour": .string("blue"), "linger": .bool(false)])
            #expect(
                await refusal { _ = try await dictation.start(options: [:]) }
                    == "org.example.Dictation.Error.AlreadyRunning")
            try await dictation.stop()
        }
    }

    @Test func aSessionBeyondTheLimitIsRefusedByStart() async throws {
        try await withRig(tones + "session-limit: 2\n") { rig in
            let clients = [
                try await TestClient(on: rig), try await TestClient(on: rig), try await TestClient(on: rig),
            ]
            for client in clients.prefix(2) { _ = try await client.dictation.start(options: [:]) }
            let error = await #expect(throws: DBusError.self) {
                _ = try await clients[2].dictation.start(options: [:])
            }
            #expect(error?.name == DictationInterface.errorName(.limitExceeded))
            try await clients[0].dictation.stop()
            _ = try await clients[2].dictation.start(options: [:])
        }
    }

    @Test func refusesUnknownMembersByName() async throws {
        try await withRig(tones) { rig in
            let client = try await TestClient(on: rig)
            let calls: [(ObjectPath, InterfaceName, MemberName, [Value], String)] = [
                (DictationInterface.path, DictationInterface.name, "Sing", [], "UnknownMethod"),
                (DictationInterface.path, DictationInterface.name, "Start", [], "InvalidArgs"),
                (
                    DictationInterface.path, DictationInterface.name, "Start", [.string("x")],
                    "InvalidArgs"
                ),
                (DictationInterface.path, "org.example.Music", "Start", [], "UnknownInterface"),
                ("/org/example/Nowhere", DictationInterface.name, "Pause", [], "UnknownObject"),
            ]
            for (path, interface, member, body, wanted) in calls {
                let error = await #expect(throws: DBusError.self) {
                    _ = try await client.connection.call(
                        destination: DictationInterface.busName, path: path, interface: interface,
                        member: member, body)
                }
                #expect(
                    error?.name.rawValue == "org.freedesktop.DBus.Error.\(wanted)", "\(member) of \(path)")
            }
        }
    }

    @Test func refusesAHugeStringAndFreesItsMemory() async throws {
        try await withRig(tones) { rig in
            let client = try await TestClient(on: rig)
            // The worker has started.
            _ = try await client.dictation.getSession()
            let before = try rig.usage().kibibytes
            let huge = String(repeating: "x", count: 64 << 20)
            let error = await #expect(throws: DBusError.self) {
                _ = try await client.dictation.start(options: [
                    "grammar": .string(huge), "linger": .uint32(1),
                ])
            }
            #expect(error?.name == .limitsExceeded)
            try await eventually("the memory has come back") {
                try rig.usage().kibibytes < before + 16 * 1024
            }
        }
    }

    @Test func survivesMalformedMessages() async throws {
        try await withRig(tones) { rig in
            // A raw client: authenticates, calls Hello, then sends a call with a string that is not UTF-8, and one with
            // a NUL.
            for payload in ["ff", "00"] {
                let result = try await ChildProcess.run(
                    ["/usr/bin/python3", "-c", Self.rawSender, rig.bus.address, payload],
                    environment: rig.environment)
                #expect(result.output.contains("dropped"), "\(result.output) \(result.errors)")
            }
            #expect(try await rig.gdbus("CheckPermission").hasPrefix("("))
        }
    }

    private static let rawSender = #"""
        import os, socket, struct, sys
        path = dict(p.split("=", 1) for p in sys.argv[1].split(":", 1)[1].split(","))["path"]
        s = socket.socket(socket.AF_UNIX); s.connect(path)
        s.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n"); s.recv(100)
        s.sendall(b"BEGIN\r\n")
        def field(code, sig, value):
            b = struct.pack("<BB", code, 1) + sig.encode() + b"\0"
            return b + struct.pack("<I", len(value)) + value + b"\0"
        def message(serial, dest, path, iface, member, sig="", body=b""):
            fields = b""
            for f in [(1, "o", path), (2, "s", iface), (3, "s", member), (6, "s", dest)]:
                fields += b"\0" * (-len(fields) % 8) + field(f[0], f[1], f[2].encode())
            if sig:
                fields += b"\0" * (-len(fields) % 8) + struct.pack("<BB", 8, 1) + b"g\0" + struct.pack("<B", len(sig)) + sig.encode() + b"\0"
            head = struct.pack("<BBBBIII", ord("l"), 1, 0, 1, len(body), serial, len(fields)) + fields
            return head + b"\0" * (-len(head) % 8) + body
        bus = "org.freedesktop.DBus"
        s.sendall(message(1, bus, "/org/freedesktop/DBus", bus, "Hello")); s.recv(4096)
        bad = bytes.fromhex(sys.argv[2])
        body = struct.pack("<I", 3) + b"a" + bad + b"b" + b"\0"
        body += b"\0" * (-len(body) % 4) + struct.pack("<I", 0) + b"\0" * 4
        s.sendall(message(2, "org.example.Dictation", "/org/example/Dictation", "org.example.Dictation", "SelectRoute", "sa{sv}", body))
        s.settimeout(20)
        try:
            while True:
                if not s.recv(4096): print("dropped"); break
        except ConnectionResetError:
            print("dropped")
        """#

    @Test func introspectionIsTheInterfaceFile() async throws {
        try await withRig(tones) { rig in
            let client = try await TestClient(on: rig)
            let reply = try await client.connection.call(
                destination: DictationInterface.busName, path: DictationInterface.path,
                interface: .introspectable, member: "Introspect")
            let live = try Members(xml: try #require(reply.first.flatMap { String($0) }))
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../dbus/org.example.Dictation.xml")
            let written = try Members(xml: String(contentsOf: file, encoding: .utf8))
            #expect(written.lines.count > 60)
            #expect(live.lines == written.lines)
        }
    }
}
