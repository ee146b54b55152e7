import CLinux
import EventLoop
import Glibc
import Testing

/// In a process of its own, because it cannot be undone.
@Suite struct ConfinementTests {
    @Test func noThreadCanStartAProgram() async {
        await #expect(processExitsWith: .success) {
            let before = try Subprocess(["true"]).wait()
            try Confinement.forbidPrograms()
            let thread = try await OwnThread.run("other") { () -> Int32 in
                do throws(EventLoopError) {
                    _ = try Subprocess(["true"])
                    return 0
                } catch {
                    return error.code
                }
            }
            // Reading files and what is known of processes goes on.
            var path = [CChar](repeating: 0, count: 100)
            let link = readlink("/proc/self/exe", &path, path.count)
            exit(before == 0 && thread == EPERM && link > 0 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    /// The words of the allowed programs decide, and variables that would load other code do not pass.
    @Test func allowedProgramsStartAndNoOthers() async {
        await #expect(processExitsWith: .success) {
            try Confinement.forbidPrograms(except: [
                .init("sh", beginningWith: ["-c", "echo"]), .init("printenv", withAnyOf: []),
                .init("echo", withAnyOf: ["one", "two"]),
            ])
            func output(_ command: [String]) -> String? {
                guard let (reading, writing) = try? Descriptor.pipe(),
                    let program = try? Subprocess(
                        command, environment: ["DISPLAY": ":7", "LD_PRELOAD": "/nowhere"],
                        files: [1: .descriptor(writing.rawValue)])
                else { return nil }
                guard (try? program.wait()) == 0 else { return nil }
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(reading.rawValue, &bytes, bytes.count)
                return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            }
            let allowed =
                output(["echo", "two", "one"]) == "two one\n"
                && output(["printenv"]) == "DISPLAY=:7\n"
                && output(["sh", "-c", "echo", "three"]) == "\n"
            let others = [["true"], ["echo", "three"], ["sh", "-c", "true"], ["sh"]]
            exit(allowed && others.allSatisfy { output($0) == nil } ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
