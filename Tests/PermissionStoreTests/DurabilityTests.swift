import DictationCore
import DictationTestKit
import Foundation
import Glibc
import PermissionStore
import Testing

@Suite struct DurabilityTests {
    let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
    }

    @Test func aDecisionIsOnTheDiskBeforeTheCallReturns() async throws {
        let trace = fixture.directory.path(of: "trace")
        let result = try await ChildProcess.run(
            [
                "strace", "-f", "-y", "-o", trace, "-e", "trace=pwrite64,fdatasync,fsync,write,ftruncate",
                StoreFixture.probe, fixture.folder, "revoke",
            ], adding: StoreFixture.traced)
        #expect(result.output == "opened \nstored denied\nstored denied\n")

        // Data that was written and not synced yet, by file.
        var unsynchronized: Set<Substring> = []
        var synchronized: [Substring] = []
        // The trace continues a call that another thread interrupts in a separate line.
        var unfinished: [Substring: Substring] = [:]
        var acknowledged = 0
        for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n") {
            let thread = line.prefix { $0 != " " }
            let file = line.firstMatch(of: /permissions\.db(-journal)?/)?.output.0 ?? "other"
            if line.contains("pwrite64(") || line.contains("ftruncate(") {
                unsynchronized.insert(file)
            } else if line.contains("sync("), line.hasSuffix("<unfinished ...>") {
                unfinished[thread] = file
            } else if line.contains("sync"), line.hasSuffix("= 0") {
                let file = unfinished.removeValue(forKey: thread) ?? file
                unsynchronized.remove(file)
                synchronized.append(file)
            } else if line.contains(", \"opened ") {
                synchronized = []
            } else if line.contains(", \"stored denied\\n\"") {
                #expect(unsynchronized.isEmpty, "\(line)")
                #expect(synchronized.suffix(2) == ["permissions.db", "permissions.db-journal"])
                // The difference of FULL to NORMAL: the journal's pages are on the disk before its header counts them.
                #expect(synchronized.count { $0 == "permissions.db-journal" } == 3)
                synchronized = []
                acknowledged += 1
            }
        }
        #expect(acknowledged == 2)
    }

    /// `DICTATION_SOAK_KILLS` is the number of kills.
    @Test func aKilledProcessLosesNoAcknowledgedDecision() async throws {
        var random = TestRandom()
        var next: Int64 = 0
        for _ in 0..<StoreFixture.amount("DICTATION_SOAK_KILLS", default: 10) {
            let child = try ChildProcess([StoreFixture.probe, fixture.folder, "acknowledge", "\(next)"])
            let last = next + .random(in: 0..<8, using: &random)
            _ = try await child.line(of: .output) { Int64($0) == last }
            child.kill()
            _ = try await child.exitStatus()
            let acknowledged = try #require(
                child.lines(of: .output).last.flatMap { Int64($0) })

            let store = try fixture.open()
            #expect(store.setAside == nil)
            let trail = try await store.decisions(ofUser: 1000, limit: 1)
            let stored = try #require(trail.first?.time)
            #expect((acknowledged...acknowledged + 1).contains(stored))
            for number in max(0, stored - 4)...stored {
                let permission = store.permission(of: .app(number % 5))
                #expect(permission.speech == (number / 5 % 2 == 0 ? .granted : .denied))
                #expect(permission.microphone == permission.speech)
            }
            next = stored + 1
        }
    }

    @Test func recoversFromAFullDisk() async throws {
        try #require(getuid() == 0, "needs root: to mount a small file system")
        try await fixture.fill()
        let script = """
            mkdir "$1/disk" && mount -t tmpfs -o size=256k none "$1/disk" && cp -a "$1/store" "$1/disk/" &&
            exec "$2" "$1/disk/store" fill
            """
        let result = try await ChildProcess.run([
            "unshare", "--mount", "sh", "-c", script, "sh", fixture.directory.path, StoreFixture.probe,
        ])
        let lines = result.output.split(separator: "\n")
        #expect(result.status == .exited(0))
        #expect(lines.count == 2, "\(result)")
        #expect(lines.first?.hasPrefix("not stored granted unavailable ") == true, "\(result)")
        #expect(lines.first?.hasSuffix("Make it writable and check that the disk has space.") == true)
        #expect(lines.last == "stored denied")
    }
}
