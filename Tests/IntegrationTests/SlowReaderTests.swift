import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing

/// A client that does not read its signals delays no other client and loses no text. `packaging/soak bus` runs longer.
@Suite(.serialized) struct SlowReaderTests {
    private static let isSoak = ProcessInfo.processInfo.environment["DICTATION_SOAK_CALLS"] != nil
    private static let linger: [BusText: Value] = [
        StartOption.linger: .bool(true), StartOption.levels: .bool(true),
    ]

    /// A subscriber of `client`'s session that prints a line for each signal.
    private func follow(
        _ client: TestClient, _ microphone: DriverMicrophone, on rig: Rig
    ) async throws -> ChildProcess {
        let monitor = try rig.start(["/usr/bin/python3", "-uc", Self.follower, rig.bus.address])
        try await eventually("it subscribed") {
            try await rig.say(Speech.tones(500), into: microphone)
            _ = try await client.dictation.cancel()
            return monitor.text(of: .output).contains(#""partial""#)
        }
        return monitor
    }

    private static let follower = """
        import dbus, dbus.bus, json, sys
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib
        bus = dbus.bus.BusConnection(sys.argv[1], mainloop=DBusGMainLoop())
        name, path = "org.example.Dictation", "/org/example/Dictation"
        keys = {"Partial": ["session", "block", "offset", "stable", "volatile"], "Final": ["session", "block"],
                "Error": ["session", "name"]}
        def note(*arguments, member):
            event = {"event": member.lower(), **dict(zip(keys.get(member, []), arguments))}
            print(json.dumps(event, separators=(",", ":")))
        bus.add_signal_receiver(note, dbus_interface=name, member_keyword="member")
        bus.call_blocking(name, path, name, "Subscribe", "a{sv}", ({"text": True},), timeout=20)
        GLib.MainLoop().run()
        """

    @Test func aStoppedSubscriberDelaysNoOtherAndMissesNoFinal() async throws {
        let blocks = Self.isSoak ? 400 : 8
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig, Self.linger)
            let monitor = try await follow(client, microphone, on: rig)
            let name = try await rig.connection(of: monitor, by: client)
            let before = try rig.usage().kibibytes

            try monitor.stop()
            client.forget()
            let linesBefore = monitor.lines(of: .output).count
            for _ in 0..<blocks {
                try await rig.say(Speech.tones(500), into: microphone)
                #expect(try await client.dictation.commit().text == "t500")
            }
            try await eventually("there were many signals") {
                try await rig.say(Speech.tones(600), into: microphone)
                return client.signals.count >= 500
            }
            let block = try #require(client.finals.last) + 1
            try await eventually("the last is understood") {
                client.text(of: block).hasSuffix("t600")
            }
            let held = try await rig.heldBytes(for: name, by: client)
            #expect(held < 256 << 10)
            try await rig.expectLittleMemory(since: before)

            let signals = client.signals.count
            monitor.send(SIGCONT)
            try await eventually("the newest text is there") {
                try monitor.text(ofBlock: block) == client.text(of: block)
            }
            let lines = monitor.lines(of: .output).dropFirst(linesBefore)
            let finals = lines.filter { $0.contains(#""final""#) }
            #expect(client.finals.count == blocks)
            #expect(finals.count == blocks)
            for (line, block) in zip(finals, client.finals) { #expect(line.contains(#""block":\#(block)"#)) }
            // The newest text comes after all finals.
            let partials = lines.filter { $0.contains(#""partial""#) && $0.contains(#""block":\#(block),"#) }
            #expect(partials.count < 4, "they were merged")
            #expect(
                lines.lastIndex(of: finals.last ?? "") ?? 0 < lines.firstIndex(of: partials.first ?? "") ?? 0)
            #expect(lines.count < 64 + 8 * blocks + 64)
            #expect(lines.count < signals / 2 || Self.isSoak)
            print(
                "\(signals) signals to a reader, \(lines.count) to a stopped one; the bus held \(held) bytes")

            // It gets everything at once again.
            try await rig.say(Speech.tones(700), into: microphone)
            _ = try await monitor.line(of: .output) { $0.contains("t700") }
            monitor.terminate()
        }
    }

    @Test func aSubscriberWithALongQueueIsUnsubscribed() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig, Self.linger)
            let monitor = try await follow(client, microphone, on: rig)
            let before = try rig.usage().kibibytes
            try monitor.stop()
            // Some thousand commits, however long they take.
            var isGivenUp = false
            for _ in 0..<100 where !isGivenUp {
                try await client.commit(times: 100)
                isGivenUp = rig.daemon.text(of: .errors).contains("does not read its signals")
            }
            #expect(isGivenUp)
            let firstLost = try await client.dictation.commit().block
            try await client.commit(times: 100)
            try await rig.expectLittleMemory(since: before)
            monitor.send(SIGCONT)
            _ = try await monitor.line(of: .output) { $0.contains("LimitExceeded") }
            // Everything queued came before, in order, and nothing comes after.
            let finals = monitor.lines(of: .output).filter { $0.contains(#""final""#) }
            let blocks = finals.compactMap { line in
                line.firstMatch(of: /"block":([0-9]+)/).flatMap { UInt64($0.output.1) }
            }
            #expect(blocks == Array((blocks.first ?? 0)..<(blocks.first ?? 0) + UInt64(blocks.count)))
            #expect(blocks.count > 200)
            #expect(!blocks.contains(firstLost))
            let lines = monitor.lines(of: .output).count
            _ = try await client.dictation.commit()
            // A signal to the same connection would have come before this one.
            _ = try await rig.gdbus("GetSession")
            #expect(monitor.lines(of: .output).count == lines)
            monitor.terminate()
        }
    }

    /// A program that only makes blocking calls does not reply to Ping, but it reads.
    @Test func anOwnerThatOnlyMakesBlockingCallsKeepsItsSession() async throws {
        let script = """
            import dbus, dbus.bus, sys
            bus = dbus.bus.BusConnection(sys.argv[1])
            name, path = "org.example.Dictation", "/org/example/Dictation"
            def call(member, signature="", *arguments):
                return bus.call_blocking(name, path, name, member, signature, arguments, timeout=60)
            call("Start", "a{sv}", {"levels": True})
            blocks = []
            for number in range(1, 601):
                blocks.append(int(call("Commit")[0]))
                if number % 50 == 0: print(number)
            print(blocks == list(range(1, 601)), call("GetSession")["owner"] == True)
            """
        try await withRig(tones) { rig in
            try await rig.plugIn()
            let owner = try rig.start(["/usr/bin/python3", "-uc", script, rig.bus.address])
            for number in stride(from: 50, through: 600, by: 50) {
                _ = try await owner.line(of: .output) { $0 == "\(number)" }
            }
            let line = try await owner.line(of: .output) { $0.contains(" ") }
            #expect(line == "True True", "\(owner.text(of: .errors))")
            #expect(!rig.daemon.text(of: .errors).contains("does not read its signals"))
        }
    }
}

extension ChildProcess {
    /// The text of a block's partials.
    fileprivate func text(ofBlock block: UInt64) throws -> String {
        struct Partial: Decodable {
            var block: UInt64
            var offset: Int
            var stable: String
            var volatile: String
        }
        var (stable, volatile) = ("".unicodeScalars, "")
        for line in lines(of: .output) where line.contains(#""partial""#) {
            let partial = try JSONDecoder().decode(Partial.self, from: Data(line.utf8))
            guard partial.block == block else { continue }
            stable = String.UnicodeScalarView(stable.prefix(partial.offset) + partial.stable.unicodeScalars)
            volatile = partial.volatile
        }
        return String(stable) + volatile
    }
}

extension TestClient {
    /// Makes this many blocks without waiting.
    fileprivate func commit(times: Int) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<times { group.addTask { _ = try await self.dictation.commit() } }
            try await group.waitForAll()
        }
    }
}

extension Rig {
    /// What is kept for a reader is little. Sound that a busy machine has not recognised yet takes memory for a while.
    fileprivate func expectLittleMemory(since before: Int) async throws {
        try await eventually("the memory for a reader is little") {
            try isSanitized || usage().kibibytes - before < 8 << 10
        }
    }

    /// The unique name of a process's connection.
    fileprivate func connection(of process: ChildProcess, by client: TestClient) async throws -> BusName {
        let names = try await client.connection.call(
            destination: .bus, path: .bus, interface: .bus, member: "ListNames"
        ).decoded(as: [String].self)
        for name in names.compactMap({ BusName($0) }) where name.isUnique {
            if try await client.connection.credentials(of: name).pid == UInt32(process.pid) { return name }
        }
        throw TestFailure("\(process.name) is not on the bus")
    }

    /// The memory of the bus daemon for a connection.
    fileprivate func heldBytes(for name: BusName, by client: TestClient) async throws -> UInt32 {
        let statistics = try await client.connection.call(
            destination: .bus, path: .bus, interface: "org.freedesktop.DBus.Debug.Stats",
            member: "GetConnectionStats", [.string(name.rawValue)]
        ).decoded(as: [BusText: Value].self)
        guard case .uint32(let bytes) = statistics["OutgoingBytes"] else {
            throw TestFailure("\(statistics)")
        }
        return bytes
    }
}
