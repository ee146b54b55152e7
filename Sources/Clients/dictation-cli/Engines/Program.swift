import Glibc

/// Runs other programs. What they write goes to standard error.
enum Program {
    /// Waits for its end.
    static func run(_ arguments: [String]) throws(EngineSetupError) {
        guard try status(of: arguments) == 0 else {
            throw EngineSetupError("This failed: \(arguments.joined(separator: " "))")
        }
    }

    /// Waits for its end. False if it failed or cannot be run.
    static func succeeds(_ arguments: [String]) -> Bool {
        (try? status(of: arguments)) == 0
    }

    private static func status(of arguments: [String]) throws(EngineSetupError) -> Int32 {
        let pid = try start(arguments)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else {
                throw EngineSetupError("waitpid: \(String(cString: strerror(errno)))")
            }
        }
        return status
    }

    /// Whether it has ended. It can still be waited for.
    static func hasEnded(_ pid: pid_t) -> Bool {
        var information = siginfo_t()
        return waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) != 0
            || information.si_signo == SIGCHLD
    }

    /// Starts it and does not wait.
    static func start(_ arguments: [String]) throws(EngineSetupError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, 2, 1)
        // Threads of this program block signals. A program that inherited that could not be ended.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pid = pid_t()
        let pointers = arguments.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        let code = posix_spawnp(&pid, arguments[0], &actions, &attributes, pointers + [nil], environ)
        guard code == 0 else {
            throw EngineSetupError("\(arguments[0]) cannot be run: \(String(cString: strerror(code)))")
        }
        return pid
    }
}
