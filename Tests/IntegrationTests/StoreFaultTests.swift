import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing

/// The system fails the store's calls: the caller gets an error, earlier decisions stay, and the next decision works.
@Suite(.serialized) struct StoreFaultTests {
    struct Fault: CustomStringConvertible, Sendable {
        let call: String
        let error: String

        var description: String { "\(call) \(error)" }
    }

    /// `DICTATION_SOAK_FAULTS` adds the whole matrix to a sample of it.
    static var faults: [Fault] {
        guard ProcessInfo.processInfo.environment["DICTATION_SOAK_FAULTS"] != nil else {
            return [
                Fault(call: "pwrite64", error: "ENOSPC"), Fault(call: "fdatasync", error: "EIO"),
                Fault(call: "openat", error: "EACCES"),
            ]
        }
        return ["pwrite64", "fdatasync", "openat"].flatMap { call in
            ["EIO", "ENOSPC", "EACCES"].map { Fault(call: call, error: $0) }
        }
    }

    @Test(arguments: faults)
    func survivesAFailureOfEverySystemCall(_ fault: Fault) async throws {
        try await withRig(allowsEveryone: false) { rig in
            let client = try await TestClient(on: rig)
            let decisions = Decisions(client.connection)
            let folder = "\(rig.home.path)/.local/state/dictation"
            let trace = rig.home.path(of: "trace")
            let paths = ["", "-journal"].flatMap { ["-P", "\(folder)/permissions.db\($0)"] }
            var injected = 0
            var told = 0
            while true {
                // The journal is opened at the first decision and stays open.
                if fault.call == "openat" {
                    try await rig.restart()
                } else {
                    try await decisions.set(0, "granted")
                }
                let tracer = try await rig.trace(
                    paths + [
                        "-o", trace, "-e", "trace=\(fault.call)",
                        "-e", "inject=\(fault.call):error=\(fault.error):when=\(injected + 1)",
                    ])
                let refusal = try await refusal { try await decisions.set(0, "denied") }
                // It is obeyed also if it cannot be stored.
                #expect(try await decisions.all()[0] == "denied")
                try await detach(tracer)
                // A failure causes no other failure.
                try await decisions.set(1, "granted")
                #expect(rig.daemon.isRunning)
                guard try String(contentsOfFile: trace, encoding: .utf8).contains("(INJECTED)") else { break }
                injected += 1
                if let refusal {
                    told += 1
                    #expect(refusal.name == DictationInterface.errorName(.fileWrite))
                    #expect(refusal.message.contains("permissions.db cannot be used"), "\(refusal)")
                    #expect(refusal.message.contains("will be forgotten"), "\(refusal)")
                }
            }
            #expect(told > 0)
            let known = try await decisions.all()
            try await rig.restart()
            #expect(try await decisions.all() == known)
            print("\(fault): \(injected) calls, \(told) told")
        }
    }

    @Test func aDenialClosesTheMicrophoneWhileTheDiskDoesNotAnswer() async throws {
        try await withRig(tones, allowsEveryone: false) { rig in
            try await rig.plugIn()
            try await rig.setPermission("grant")
            let client = try await TestClient.listening(on: rig)
            client.beginStep()
            let tracer = try await rig.trace([
                "-o", rig.home.path(of: "trace"), "-e", "trace=fdatasync",
                "-e", "inject=fdatasync:delay_enter=120000000",
            ])
            let permissions = DictationPermissionsProxy(
                connection: client.connection, destination: DictationInterface.busName)
            let program = try executableOfThisProcess()
            async let denial: Void = permissions.set(
                client: [ClientKey.kind: .string("executable"), ClientKey.id: .string(program)],
                resource: "microphone", status: "denied")
            try await client.signal("Interrupted") { signal in
                if case .interrupted(_, "permission-lost", _) = signal { true } else { nil }
            }
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            try await detach(tracer)
            try await denial
        }
    }

    /// Nil if it succeeded.
    private func refusal(_ call: () async throws -> Void) async throws -> DBusError? {
        do {
            try await call()
            return nil
        } catch let refusal as DBusError {
            return refusal
        }
    }

    @Test func recoversFromAFullDisk() async throws {
        try #require(getuid() == 0, "needs root: to mount a small file system")
        try await withRig(endsByItself: true, allowsEveryone: false) { rig in
            try await rig.end()
            let script = """
                mkdir -p "$1" && mount -t tmpfs -o size=256k none "$1" && export XDG_STATE_HOME="$1"
                exec "$2" --bus "$3" --verbose
                """
            let disk = rig.home.path(of: "disk")
            let daemon = try rig.start([
                "unshare", "--mount", "sh", "-ec", script, "sh", disk, executable("dictationd"),
                rig.bus.address,
            ])
            _ = try await daemon.line(of: .errors) { $0.contains("listening on the bus") }
            let client = try await TestClient(on: rig)
            let decisions = Decisions(client.connection)
            try await decisions.set(0, "granted")

            // As the daemon sees it.
            let ballast = "/proc/\(daemon.pid)/root\(disk)/ballast"
            let file = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            try #require(file >= 0)
            let page = [UInt8](repeating: 1, count: 4096)
            while write(file, page, page.count) > 0 {}
            close(file)
            // Small changes may still fit into existing pages; a new program needs a new page in the end.
            var stored: [Int: String] = [0: "granted"]
            var refused: DBusError?
            for number in 1..<900 where refused == nil {
                refused = try await refusal { try await decisions.set(number, "denied") }
                stored[number] = "denied"
            }
            // A grant is not.
            let grant = try await refusal {
                for number in 1000..<1900 { try await decisions.set(number, "granted") }
            }
            #expect(grant?.message.contains("will be forgotten") == false)
            for (number, status) in try await decisions.all() where number >= 1000 {
                #expect(status == "granted")
                stored[number] = status
            }
            #expect(refused?.name == DictationInterface.errorName(.fileWrite))
            #expect(refused?.message.contains("check that the disk has space") == true)
            #expect(refused?.message.contains("will be forgotten") == true)
            #expect(try await decisions.all() == stored)
            #expect(daemon.isRunning)

            unlink(ballast)
            try await decisions.set(1, "granted")
            stored[1] = "granted"
            #expect(try await decisions.all() == stored)
            daemon.terminate()
            #expect(try await daemon.exitStatus() == .exited(0))
        }
    }
}
