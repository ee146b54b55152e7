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
}
