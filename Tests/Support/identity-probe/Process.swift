import EventLoop
import Glibc

struct CallFailure: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// A child process. Its creator ends and reaps it.
struct Process: Sendable {
    let pid: pid_t

    init(_ program: String, inheriting socket: Int32? = nil) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let socket { posix_spawn_file_actions_adddup2(&actions, socket, 3) }
        var arguments = [strdup(program), strdup("1000"), nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        let code = posix_spawn(&pid, program, &actions, nil, &arguments, environ)
        guard code == 0 else { throw CallFailure(call: "posix_spawn \(program)", code: code) }
        self.pid = pid
    }

    func end() {
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }
}

/// The two ends of a connection: the bus's and the client's.
final class Socket {
    private let bus: Int32
    let client: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw CallFailure(call: "socketpair", code: errno)
        }
        bus = ends[0]
        client = ends[1]
    }

    deinit {
        close(bus)
    }

    func closeClient() {
        close(client)
    }

    var isConnected: Bool {
        var poll = pollfd(fd: bus, events: 0, revents: 0)
        return Glibc.poll(&poll, 1, 0) == 0
    }
}

/// Ends a process and reuses its number for another program, once.
final class Change: Sendable {
    private let old: Process
    private let program: String
    private let new = Lock<Process?>(nil)

    init(of old: Process, to program: String) {
        self.old = old
        self.program = program
    }

    func make() throws {
        try new.withLock { new in
            guard new == nil else { return }
            old.end()
            // Threads take numbers too; one may take this one first and release it.
            for _ in 0..<1000 {
                try chooseNumber(old.pid)
                let process = try Process(program)
                if process.pid == old.pid {
                    new = process
                    return
                }
                process.end()
            }
            throw CallFailure(call: "ns_last_pid", code: EBUSY)
        }
    }

    func end() {
        new.withLock { $0.take()?.end() }
    }

    private func chooseNumber(_ pid: pid_t) throws {
        let file = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw CallFailure(call: "open ns_last_pid", code: errno) }
        defer { close(file) }
        let text = "\(pid - 1)"
        guard write(file, text, text.utf8.count) == text.utf8.count else {
            throw CallFailure(call: "write ns_last_pid", code: errno)
        }
    }
}
