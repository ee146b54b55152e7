import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// What the daemon has acknowledged on the bus is on the disk. (The store's own tests show this for its calls; here for
/// replies.)
@Suite(.serialized) struct DurabilityTests {
    private static func amount(_ variable: String, default amount: Int) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? amount
    }

    @Test func storesEveryDecisionBeforeItsReply() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let client = try await TestClient(on: rig)
            let decisions = Decisions(client.connection)
            // SQLite creates its journal, and the service identifies both programs.
            try await decisions.set(0, "granted")
            _ = try await client.dictation.checkPermission()

            let file = rig.home.path(of: "trace")
            let tracer = try await rig.trace([
                "-y", "-o", file, "-e", "trace=pwrite64,ftruncate,fdatasync,fsync,sendmsg",
            ])
            for number in 1...4 { try await decisions.set(number, number % 2 == 0 ? "granted" : "denied") }
            try await decisions.permissions.forget(client: Decisions.client(4))
            async let status = client.dictation.requestPermission(
                resources: ["microphone", "speech"], options: [:], timeout: nil)
            try await agent.answer("allow")
            #expect(try await status == ["microphone": "granted", "speech": "granted"])
            try await detach(tracer)

            let trace = Trace(try String(contentsOfFile: file, encoding: .utf8))
            #expect(trace.sentTooEarly.isEmpty, "\(trace.sentTooEarly)")
            #expect(trace.synchronizedChanges == 6)
        }
    }

    /// The result of a trace of the store's files and the bus's socket.
    private struct Trace {
        /// Messages that were sent while written data was not yet on the disk.
        var sentTooEarly: [Substring] = []
        /// Transactions that ended as required: the database and then the end of the journal were on the disk before
        /// anything was sent.
        var synchronizedChanges = 0

        init(_ text: String) {
            var unsynchronized: Set<Substring> = []
            var synchronized: [Substring] = []
            // A call that another thread's interrupts in the trace is continued in a line of its own.
            var unfinished: [Substring: Substring] = [:]
            for line in text.split(separator: "\n") {
                let thread = line.prefix { $0 != " " }
                let file = line.firstMatch(of: /permissions\.db(-journal)?/)?.output.0
                if line.contains("sendmsg("), line.contains("socket:") {
                    if !unsynchronized.isEmpty { sentTooEarly.append(line) }
                    if synchronized.suffix(2) == ["permissions.db", "permissions.db-journal"] {
                        synchronizedChanges += 1
                    }
                    synchronized = []
                } else if line.contains("pwrite64(") || line.contains("ftruncate(") {
                    if let file { unsynchronized.insert(file) }
                } else if line.contains("sync("), line.hasSuffix("<unfinished ...>") {
                    unfinished[thread] = file
                } else if line.contains("sync"), line.hasSuffix("= 0") {
                    guard let file = unfinished.removeValue(forKey: thread) ?? file else { continue }
                    unsynchronized.remove(file)
                    synchronized.append(file)
                }
            }
        }
    }

    /// `DICTATION_SOAK_WRITES` is the number of writes.
    @Test func losesNoAcknowledgedDecisionWhenKilled() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let client = try await TestClient(on: rig)
            let decisions = Decisions(client.connection)
            var random = TestRandom()
            var known: [Int: String] = [:]
            var written = 0
            var kills = 0
            var acknowledgedLast = 0
            while written < Self.amount("DICTATION_SOAK_WRITES", default: 50) {
                for _ in 0..<Int.random(in: 0..<10, using: &random) {
                    let (number, status) = Self.decision(written)
                    try await decisions.set(number, status)
                    known[number] = status
                    written += 1
                }
                let (number, status) = Self.decision(written)
                let last = Task { try await decisions.set(number, status) }
                // At any stage: not yet received, partly written, written, answered.
                for _ in 0..<Int.random(in: 0..<40_000, using: &random) { await Task.yield() }
                rig.daemon.kill()
                var candidates = [known[number], status]
                if case .success = await last.result {
                    candidates = [status]
                    acknowledgedLast += 1
                }
                written += 1
                kills += 1

                try await rig.replaceKilledDaemon(client.connection)
                #expect(!rig.daemon.text(of: .errors).contains("moved away"))
                let stored = try await decisions.all()
                #expect(
                    candidates.contains(stored[number]), "\(number): \(String(describing: stored[number]))")
                known[number] = stored[number]
                #expect(stored == known)
            }
            print("\(written) writes, \(kills) kills, \(acknowledgedLast) of them after the last reply")
        }
    }

    private static func decision(_ index: Int) -> (number: Int, status: String) {
        (index % 5, index / 5 % 2 == 0 ? "granted" : "denied")
    }
}
