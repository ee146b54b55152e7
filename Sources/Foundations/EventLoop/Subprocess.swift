import CLinux
import Glibc

/// Another program, started by this one. No signal is blocked in it, and none is ignored, whatever this process and its
/// threads block and ignore. The caller waits for its end.
public struct Subprocess: Sendable {
    public let pid: Int32

    /// An open file of the program.
    public enum File: Sendable {
        /// A duplicate of a descriptor of this process.
        case descriptor(Int32)
        /// Opened in the program. `flags` are those of open(2).
        case path(String, flags: Int32)
    }

    /// POSIX_SPAWN_SETSID of glibc's spawn.h, which Swift does not import.
    private static let newSession: Int32 = 0x80

    /// Starts a program.
    /// - Parameters:
    ///   - arguments: the program, looked up in `PATH`, and its arguments.
    ///   - environment: all of it; by default that of this process.
    ///   - files: by their descriptors in the program. It also inherits the descriptors that are not closed on exec.
    ///   - isSessionLeader: a new session has no controlling terminal, and gets no signals of this one.
    /// - Throws: the error of `posix_spawnp`, with the program's name as the call.
    public init(
        _ arguments: [String], environment: [String: String]? = nil, files: [Int32: File] = [:],
        isSessionLeader: Bool = false
    ) throws(EventLoopError) {
        guard let program = arguments.first else { throw EventLoopError(call: "posix_spawnp", code: ENOENT) }
        if dictation_linux_has_launcher() != 0 {
            pid = try Self.launch(arguments, environment, files, isSessionLeader)
            return
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in files.sorted(by: { $0.key < $1.key }) {
            switch file {
            case .descriptor(let own): posix_spawn_file_actions_adddup2(&actions, own, number)
            case .path(let path, let flags):
                posix_spawn_file_actions_addopen(&actions, number, path, flags, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags =
            POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (isSessionLeader ? Self.newSession : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let words = arguments.map { strdup($0) }
        let variables = environment?.map { strdup("\($0.key)=\($0.value)") } ?? []
        defer { for pointer in words + variables { free(pointer) } }
        var pid = pid_t()
        let code =
            environment == nil
            ? posix_spawnp(&pid, program, &actions, &attributes, words + [nil], environ)
            : posix_spawnp(&pid, program, &actions, &attributes, words + [nil], variables + [nil])
        guard code == 0 else { throw EventLoopError(call: program, code: code) }
        self.pid = pid
    }

    /// After ``Confinement/forbidPrograms(except:)``.
    private static func launch(
        _ arguments: [String], _ environment: [String: String]?, _ files: [Int32: File],
        _ isSessionLeader: Bool
    ) throws(EventLoopError) -> pid_t {
        var numbers: [Int32] = []
        var opened: [Descriptor] = []
        for number: Int32 in 0...2 {
            let file = files[number] ?? .path("/dev/null", flags: O_RDWR)
            if case .descriptor(let own) = file { numbers.append(own) }
            if case .path(let path, let flags) = file {
                let own = open(path, flags | O_CLOEXEC)
                guard own >= 0 else { throw .last("open") }
                opened.append(Descriptor(owning: own))
                numbers.append(own)
            }
        }
        let words = arguments.map { strdup($0) }
        let variables = (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") }
        defer { for pointer in words + variables { free(pointer) } }
        let pid = dictation_linux_launch(
            words + [nil], variables + [nil], numbers, isSessionLeader ? 1 : 0)
        withExtendedLifetime(opened) {}
        guard pid > 0 else { throw EventLoopError(call: arguments[0], code: errno) }
        return pid
    }

    /// The path of this process's own program.
    public static func ownProgram() throws(EventLoopError) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count)
        guard length > 0 else { throw EventLoopError(call: "readlink /proc/self/exe", code: errno) }
        return String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    public func send(_ signal: Int32) { kill(pid, signal) }

    /// Waits for its end.
    /// - Returns: the status from waitpid(2).
    @discardableResult
    public func wait() throws(EventLoopError) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw .last("waitpid") }
        }
        return status
    }

    /// The status from waitpid(2) if it has ended; nil while it runs.
    public func statusIfEnded() -> Int32? {
        var status: Int32 = 0
        return waitpid(pid, &status, WNOHANG) == pid ? status : nil
    }

    /// Whether it has ended. It can still be waited for.
    public var hasEnded: Bool {
        var information = siginfo_t()
        return waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) != 0
            || information.si_signo == SIGCHLD
    }

    /// Kills it and waits for its end. No program can ignore SIGKILL, so this does not block for long.
    public func killAndWait() {
        send(SIGKILL)
        waitpid(pid, nil, 0)
    }
}
