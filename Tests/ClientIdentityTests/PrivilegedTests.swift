import ClientIdentity
import DictationCore
import DictationTestKit
import Foundation
import Glibc
import Testing

/// Tests that need other users and namespaces.
@Suite struct PrivilegedTests {
    private static let nobody: UInt32 = 65534
    let programs: ProgramFolder

    init() throws {
        try #require(getuid() == 0, "needs root: to run processes as other users and in namespaces")
        programs = try ProgramFolder()
    }

    private static var probe: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("identity-probe").path
    }

    /// The command as user nobody.
    private func asNobody(_ command: [String]) -> [String] {
        ["setpriv", "--reuid=\(Self.nobody)", "--regid=65534", "--clear-groups"] + command
    }

    private func finding(_ child: ChildProcess, uid: UInt32) async throws -> IdentityFinding {
        try await IdentityResolver().finding(pid: UInt32(child.pid), uid: uid)
    }

    @Test func aSetUIDProgramIsNotIdentified() async throws {
        let program = try await programs.add("set-uid", mode: "4755")
        let child = try ChildProcess(asNobody([program, "1000"]))
        try await eventually("the program runs") {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child.pid)/exe") == program
        }
        let finding = try await finding(child, uid: Self.nobody)
        #expect(finding.identity == Identity(uid: Self.nobody, kind: .unknown, id: ""))
        #expect(finding.error?.kind == .foreign)
    }

    @Test func aProcessThatCannotBeReadIsNotIdentified() async throws {
        let probe = try await programs.add("identity-probe", copying: Self.probe)
        let child = try ChildProcess([await programs.add("editor"), "1000"])
        for uid in [0, Self.nobody] {
            let result = try await ChildProcess.run(asNobody([probe, "whois", "\(uid)", "\(child.pid)"]))
            #expect(result.status == .exited(0))
            #expect(result.output.hasPrefix("unknown "), "\(result)")
        }
    }

    @Test func aNonDumpableProgramIsNotIdentified() async throws {
        let probe = try await programs.add("identity-probe", copying: Self.probe)
        let script =
            "import ctypes, time; ctypes.CDLL(None).prctl(4, 0); print('hidden', flush=True); time.sleep(1000)"
        let child = try ChildProcess(asNobody(["/usr/bin/python3", "-c", script]))
        _ = try await child.line(of: .output)
        let result = try await ChildProcess.run(asNobody([probe, "whois", "\(Self.nobody)", "\(child.pid)"]))
        #expect(result.output.hasPrefix("unknown "), "\(result)")
    }

    @Test func aMountOverAnotherPathDoesNotChangeTheIdentity() async throws {
        let trusted = try await programs.add("trusted")
        let attacker = try await programs.add("attacker")
        let child = try ChildProcess([
            "unshare", "--mount", "sh", "-c", "mount --bind \(attacker) \(trusted) && exec \(trusted) 1000",
        ])
        try await eventually("the program runs") {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child.pid)/exe") == trusted
        }
        #expect(try await finding(child, uid: 0).error?.kind == .replaced)
    }

    /// The kernel marks the path of a deleted file so, and a file that exists may be called so.
    @Test func aNameThatEndsLikeThatOfADeletedFileIsNoOther() async throws {
        let trusted = try await programs.add("trusted")
        let attacker = try await programs.add("attacker")
        let name = try await programs.add("trusted (deleted)")
        let child = try ChildProcess([
            "unshare", "--mount", "sh", "-c",
            "mount --bind \(attacker) '\(name)' && exec '\(name)' 1000",
        ])
        try await eventually("the program runs") {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child.pid)/exe") == name
        }
        let finding = try await finding(child, uid: 0)
        #expect(finding.error?.kind == .replaced)
        #expect(finding.identity.id.rawValue != trusted)
    }

    @Test func aDeletedProgramIsNotAFileOfAnotherOwner() async throws {
        let child = try ChildProcess(asNobody([await programs.add("trusted"), "1000"]))
        try await eventually("the program runs") {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child.pid)/exe")
                == programs.path("trusted")
        }
        unlink(programs.path("trusted"))
        try await programs.add("trusted")
        #expect(chown(programs.path("trusted"), Self.nobody, 65534) == 0)
        #expect(try await finding(child, uid: Self.nobody).error?.kind == .replaced)
    }

    // MARK: AppImages

    /// Starts a program of a file system that `server` serves under this name. Returns its finding and its path.
    private func findingOfProgram(servedBy server: String, _ name: String) async throws -> (
        IdentityFinding, String
    ) {
        let folder = try TemporaryDirectory()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("served-folder.py").path
        let child = try ChildProcess([server, script, folder.path, name, "/bin/sleep"])
        #expect(try await child.line(of: .output) == "mounted")
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        let program = folder.path(of: "program")
        // What a process says of itself does not count.
        let running = try ChildProcess([
            "env", "APPIMAGE=\(programs.path("Trusted.AppImage"))", program, "1000",
        ])
        try await eventually("the program runs") {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(running.pid)/exe") == program
        }
        return (try await finding(running, uid: 0), program)
    }

    /// A copy of Python with the mark of an AppImage.
    private func addAppImage(_ name: String) async throws -> String {
        let path = try await programs.add(name, copying: "/usr/bin/python3")
        let result = try await ChildProcess.run([
            "sh", "-c", "printf 'AI\\002' | dd of='\(path)' bs=1 seek=8 conv=notrunc",
        ])
        guard result.status == .exited(0) else { throw TestFailure(result.errors) }
        return path
    }

    @Test func anAppImageIsOneApplicationAtEveryStart() async throws {
        let image = try await addAppImage("Editor.AppImage")
        for _ in 1...2 {
            let (finding, _) = try await findingOfProgram(servedBy: image, "Editor.AppImage")
            #expect(finding.identity == Identity(uid: 0, kind: .executable, id: image))
        }
    }

    @Test func aFileSystemWithTheNameOfAnAppImageIsNotThatAppImage() async throws {
        let image = try await addAppImage("Trusted.AppImage")
        let trusted = try ChildProcess([
            image, "-c", "import time; print('runs', flush=True); time.sleep(1000)",
        ])
        _ = try await trusted.line(of: .output)
        let (finding, program) = try await findingOfProgram(servedBy: "/usr/bin/python3", "Trusted.AppImage")
        #expect(finding.identity == Identity(uid: 0, kind: .executable, id: program))
    }

    @Test func aSandboxWithItsOwnRootIsIdentified() async throws {
        let root = try TemporaryDirectory()
        try root.write("[Application]\nname=org.example.Sandboxed\n", to: ".flatpak-info")
        let child = try ChildProcess([
            "unshare", "--mount", "sh", "-c",
            """
            for folder in bin lib lib64 usr; do mkdir \(root.path)/$folder; mount --bind /$folder \(root.path)/$folder; done
            exec chroot \(root.path) /bin/sleep 1000
            """,
        ])
        try await eventually("the program runs") {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child.pid)/exe").hasSuffix(
                "/sleep")
        }
        let finding = try await finding(child, uid: 0)
        #expect(finding.identity == Identity(uid: 0, kind: .flatpak, id: "org.example.Sandboxed"))
    }

    /// `DICTATION_SOAK_TRIALS` is the number of trials; the default is a sample of each kind.
    @Test func aReusedNumberGivesNoOtherIdentity() async throws {
        let trials = ProcessInfo.processInfo.environment["DICTATION_SOAK_TRIALS"] ?? "110"
        let result = try await ChildProcess.run(
            ["unshare", "--pid", "--fork", "--mount-proc", Self.probe, "reuse", trials]
                + [await programs.add("attacker"), await programs.add("victim")], within: .seconds(600))
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.output.hasPrefix("trials \(trials), wrong 0,"))
        print(result.output, terminator: "")
    }
}
