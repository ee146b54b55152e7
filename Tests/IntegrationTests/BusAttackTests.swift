import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Testing

/// The service and other clients are not affected by any messages from the bus, or their number.
/// `packaging/soak bus` runs the long version.
@Suite(.serialized) struct BusAttackTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// Random calls, mutated messages, and calls of a flood.
    private static let calls = environment["DICTATION_SOAK_CALLS"].flatMap { Int($0) }

    @Test func everyRandomCallHasOneReply() async throws {
        let count = Self.calls ?? 2000
        let seed = TestRandom().seed
        // With more decoders, how many are loaded would depend on when sessions begin and end.
        try await withRig(tones + "decoder-limit: 1\ndecoder-linger: 3600\n") { rig in
            let pid = rig.daemon.pid
            func round(_ count: Int, seed: UInt64) async throws {
                let connection = try await Connection(to: .custom(rig.bus.address))
                var random = RandomCalls(seed: seed)
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<count {
                        if number >= 16 { await group.next() }
                        let call = random.call()
                        group.addTask { await Self.expectAnswer(of: call, on: connection, "seed \(seed)") }
                    }
                }
                await connection.close()
            }
            // Lazily grown tables have grown.
            try await round(min(count, 2000), seed: seed &+ 1)
            try await eventually("all sessions have ended") {
                try await rig.gdbus("GetSession").contains("'idle'")
            }
            let before = try rig.usage()
            let duration = try await ContinuousClock().measure { try await round(count, seed: seed) }
            try await eventually("descriptors and threads are back") {
                let now = try rig.usage()
                return now.descriptors <= before.descriptors + 2 && now.threads <= before.threads + 2
            }
            let after = try rig.usage()
            #expect(
                isSanitized || after.kibibytes - before.kibibytes < 16 << 10,
                "\(before) … \(after), seed \(seed)")
            #expect(rig.daemon.pid == pid)
            print("\(count) random calls in \(duration), \(before) … \(after)")
        }
    }

    /// A reply of the method, or an error other than a timeout.
    private static func expectAnswer(
        of call: RandomCalls.Call, on connection: Connection, _ seed: String
    ) async {
        do {
            _ = try await connection.call(
                destination: DictationInterface.busName, path: DictationInterface.path,
                interface: call.interface, member: call.member, call.body, timeout: .seconds(60))
        } catch let error as DBusError {
            #expect(
                error.name != .noReply && error.name != .disconnected && error.name != .failed,
                "\(call.member): \(error.name), \(seed)")
        } catch {
            Issue.record("\(call.member): \(error), \(seed)")
        }
    }

    @Test func mutatedMessagesReachNobody() async throws {
        let count = Self.calls ?? 2000
        try await withRig(tones) { rig in
            let pid = rig.daemon.pid
            let script = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "mutated-messages.py").path
            let result = try await ChildProcess.run(
                ["/usr/bin/python3", script, rig.bus.address, "\(count)"], environment: rig.environment)
            #expect(result.status == .exited(0), "\(result.output) \(result.errors)")
            print(result.output)
            #expect(try await rig.gdbus("CheckPermission").hasPrefix("("))
            #expect(rig.daemon.pid == pid)
        }
    }

    /// With a limit of 512 descriptors: 20 connections, each with 50 calls of 16 descriptors.
    @Test func aBurstOfDescriptorsIsSurvived() async throws {
        try await withRig(tones, descriptorLimit: 512) { rig in
            let pid = rig.daemon.pid
            let before = try rig.usage().descriptors
            let file = Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
            let files = Value.array(Array(repeating: .descriptor(file), count: 16), of: "h")
            let options = Value(["unknown": files] as [BusText: Value])
            for member: MemberName in ["Start", "Subscribe"] {
                var connections: [Connection] = []
                for _ in 0..<20 {
                    connections.append(try await Connection(to: .custom(rig.bus.address)))
                }
                await withTaskGroup(of: Void.self) { group in
                    for connection in connections {
                        for _ in 0..<50 {
                            group.addTask {
                                await #expect(throws: DBusError.self) {
                                    try await connection.call(
                                        destination: DictationInterface.busName,
                                        path: DictationInterface.path, interface: DictationInterface.name,
                                        member: member, [options])
                                }
                            }
                        }
                    }
                }
                for connection in connections { await connection.close() }
            }
            #expect(try await rig.gdbus("CheckPermission").hasPrefix("("))
            try await eventually("all descriptors are closed") {
                try rig.usage().descriptors <= before + 4
            }
            #expect(rig.daemon.pid == pid)
        }
    }

    /// One client makes calls as fast as it can while another dictates.
    @Test func aFloodOfCallsDoesNotDelayPartials() async throws {
        let count = Self.calls.map { max($0 / 5, 20_000) } ?? 4000
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            func latencies(while isGoingOn: () -> Bool) async throws -> [Duration] {
                var latencies: [Duration] = []
                repeat {
                    client.forget()
                    // From the first sample to the text.
                    latencies.append(
                        try await ContinuousClock().measure {
                            microphone.play(Speech.tones(500))
                            _ = try await client.signal("a partial") { signal in
                                if case .partial = signal { true } else { nil }
                            }
                        })
                    _ = try await client.dictation.commit()
                } while isGoingOn() || latencies.count < 100
                return latencies.sorted()
            }
            let quiet = try await latencies { false }
            let isFlooding = Lock(true)
            let connection = try await Connection(to: .custom(rig.bus.address))
            let flood = Task {
                defer { isFlooding.withLock { $0 = false } }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<count {
                        if number >= 64 { try await group.next() }
                        group.addTask {
                            _ = try await connection.call(
                                destination: DictationInterface.busName, path: DictationInterface.path,
                                interface: DictationInterface.name, member: "GetSession")
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let flooded = try await latencies { isFlooding.withLock { $0 } }
            try await flood.value
            await connection.close()
            func median(_ values: [Duration]) -> Duration { values[values.count / 2] }
            func percentile99(_ values: [Duration]) -> Duration { values[(values.count - 1) * 99 / 100] }
            print(
                "\(count) calls: partials, median and p99: quiet \(median(quiet)) \(percentile99(quiet)), "
                    + "flooded \(median(flooded)) \(percentile99(flooded))")
            #expect(median(flooded) < median(quiet) + .milliseconds(100))
        }
    }

    /// Text of clients is on one line of the log, cut.
    @Test func noClientForgesOrFloodsTheLog() async throws {
        try await withRig(tones, allowsEveryone: false) { rig in
            let client = try await TestClient(on: rig, listensToAll: false)
            let permissions = DictationPermissionsProxy(
                connection: client.connection, destination: DictationInterface.busName)
            let id =
                "/a\n2026-01-01T00:00:00 notice dictationd: forged " + String(repeating: "x", count: 3000)
            try await permissions.set(
                client: [ClientKey.kind: .string("executable"), ClientKey.id: .string(id)],
                resource: "speech", status: "denied")
            _ = try await rig.daemon.line(of: .errors) { $0.contains("decided") }
            let lines = rig.daemon.text(of: .errors).split(separator: "\n")
            #expect(lines.contains { $0.contains(#"/a\n2026"#) })
            #expect(lines.allSatisfy { !$0.hasPrefix("2026-01-01T00:00:00 notice") && $0.utf8.count < 2000 })
        }
    }
}
