import EventLoop
import Glibc

struct CallFailure: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    var description: String { "\(call): \(String(cString: strerror(code)))" }
}

extension Subprocess {
    /// Starts a program with the argument 1000, which keeps it running. It inherits `socket` as its descriptor 3.
    static func probe(_ program: String, inheriting socket: Int32? = nil) throws(EventLoopError) -> Subprocess
    {
        try Subprocess([program, "1000"], files: socket.map { [3: .descriptor($0)] } ?? [:])
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
    private let old: Subprocess
    private let program: String
    private let new = Lock<Subprocess?>(nil)

    init(of old: Subprocess, to program: String) {
        self.old = old
        self.program = program
    }

    func make() throws {
        try new.withLock { new in
            guard new == nil else { return }
            old.killAndWait()
            // Threads take numbers too; one may take this one first and release it.
            for _ in 0..<1000 {
                try chooseNumber(old.pid)
                let process = try Subprocess.probe(program)
                if process.pid == old.pid {
                    new = process
                    return
                }
                process.killAndWait()
            }
            throw CallFailure(call: "ns_last_pid", code: EBUSY)
        }
    }

    func end() {
        new.withLock { $0.take()?.killAndWait() }
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
