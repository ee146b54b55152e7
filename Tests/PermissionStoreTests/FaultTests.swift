import DictationCore
import DictationTestKit
import Foundation
import PermissionStore
import Testing

/// The system fails one call after the other, or the process is killed at it, with strace.
@Suite struct FaultTests {
    struct Fault: CustomStringConvertible, Sendable {
        let call: String
        let effect: String

        var description: String { "\(call) \(effect)" }
    }

    /// `DICTATION_SOAK_FAULTS` adds the whole matrix to a sample of it.
    static var faults: [Fault] {
        let sample = [
            Fault(call: "openat", effect: "error=EACCES"), Fault(call: "pwrite64", effect: "error=ENOSPC"),
            Fault(call: "fdatasync", effect: "error=EIO"), Fault(call: "fdatasync", effect: "signal=KILL"),
        ]
        guard StoreFixture.amount("DICTATION_SOAK_FAULTS", default: 0) > 0 else { return sample }
        return [
            "openat", "pwrite64", "fdatasync", "fsync", "pread64", "ftruncate", "unlink", "fcntl",
            "newfstatat", "mkdir",
            "fchmodat", "close",
        ].flatMap { call in
            ["error=EIO", "error=ENOSPC", "error=EACCES", "error=EINTR", "signal=KILL"].map {
                Fault(call: call, effect: $0)
            }
        }
    }

    @Test(arguments: faults)
    func survivesAFailureOfEverySystemCall(_ fault: Fault) async throws {
        let fixture = try StoreFixture()
        try await fixture.fill()
        let original = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
        var number = 1
        while true {
            try original.write(to: URL(fileURLWithPath: fixture.file))
            let trace = fixture.directory.path(of: "trace")
            let result = try await ChildProcess.run(
                ["strace", "-f", "-o", trace, "-e", "inject=\(fault.call):\(fault.effect):when=\(number)"]
                    + ["", "/permissions.db", "/permissions.db-journal"].flatMap {
                        ["-P", fixture.folder + $0]
                    }
                    + ["-e", "trace=\(fault.call)", StoreFixture.probe, fixture.folder, "revoke"],
                adding: StoreFixture.traced)
            let calls = try String(contentsOfFile: trace, encoding: .utf8)
            guard calls.contains("(INJECTED)") || result.status == .signalled(9) else { break }
            try check(result, fault, "\(fault) \(number): \(result)", in: fixture)
            number += 1
        }
        print("\(fault): \(number - 1) calls")
    }

    private func check(
        _ result: (status: ChildProcess.ExitStatus, output: String, errors: String), _ fault: Fault,
        _ comment: Comment, in fixture: StoreFixture
    ) throws {
        let killed = fault.effect == "signal=KILL"
        #expect(result.status == (killed ? .signalled(9) : .exited(0)), comment)
        let lines = result.output.split(separator: "\n")
        if lines.first?.hasPrefix("not opened ") == true {
            #expect(lines.count == 1 && lines[0].contains(" unavailable "), comment)
        } else if !killed {
            #expect(lines.count == 3 && lines[0] == "opened ", comment)
            // A failure leaves the earlier state.
            var microphone = "granted"
            for line in lines.dropFirst() {
                if line == "stored denied" {
                    microphone = "denied"
                } else {
                    #expect(line.hasPrefix("not stored \(microphone) unavailable "), comment)
                }
            }
            // A failure causes no other failure.
            #expect(lines.contains("stored denied"), comment)
        }

        let store = try fixture.open()
        #expect(store.setAside == nil, comment)
        let microphone = store.permission(of: .app(0)).microphone
        if lines.contains("stored denied") {
            #expect(microphone == .denied, comment)
        } else if !killed {
            #expect(microphone == .granted, comment)
        }
        for (identity, permission) in StoreFixture.filled where identity != .app(0) {
            #expect(store.permission(of: identity) == permission, comment)
        }
    }
}
