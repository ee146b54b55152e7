internal import EventLoop
internal import Glibc

/// A process that sets the user's engine again if this one is killed: IBus forgets the global engine when it loses a
/// connection with engines.
@EventLoopActor
final class EngineGuard {
    let engine: String
    private let pid: pid_t
    /// The process reads its end, which tells that this process has ended.
    private let input: Descriptor

    /// POSIX_SPAWN_SETSID of glibc's spawn.h, which Swift does not import.
    private static let newSession: Int16 = 0x80

    /// - Parameters:
    ///   - command: calls ``IBusRoute/restore(_:after:environment:)`` when its standard input ends.
    ///   - environment: says where IBus is.
    init(
        restoring engine: String, by command: [String], environment: [String: String]
    ) throws(EventLoopError) {
        self.engine = engine
        let (reading, input) = try Descriptor.pipe()
        self.input = input
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, reading.rawValue, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals to the terminal's process group do not end it.
        posix_spawnattr_setflags(&attributes, Self.newSession)
        let words = command.map { strdup($0) }
        let variables = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { for pointer in words + variables { free(pointer) } }
        var pid = pid_t()
        let code = posix_spawn(&pid, command[0], &actions, &attributes, words + [nil], variables + [nil])
        guard code == 0 else { throw EventLoopError(call: "posix_spawn", code: code) }
        self.pid = pid
    }

    isolated deinit {
        kill(pid, SIGKILL)
        // It cannot refuse, so that this does not wait for long.
        waitpid(pid, nil, 0)
    }
}
