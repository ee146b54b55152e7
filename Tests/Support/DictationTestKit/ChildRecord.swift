import CLinux
import EventLoop
import Glibc

/// The state of a child process, and the tasks that wait for it.
final class ChildRecord: Sendable {
    struct State: Sendable {
        /// The output, by stream.
        fileprivate(set) var bytes: [[UInt8]] = [[], []]
        fileprivate(set) var status: ChildProcess.ExitStatus?
        fileprivate var waiters: [UInt64: Waiter] = [:]
        fileprivate var lastWaiter: UInt64 = 0
        /// Open streams, plus the process itself.
        fileprivate var watches: [Int: EventLoop.Watch] = [:]
    }

    fileprivate struct Waiter {
        /// Returns whether the condition holds and the waiter was resumed.
        let attempt: @Sendable (State) -> Bool
        let fail: @Sendable (State) -> Void
        let deadline: EventLoop.Timer
    }

    let state = Lock(State())

    /// Reads the output and reaps the process when it ends.
    /// - Parameter taker: called with the output instead of keeping it.
    func follow(
        _ pid: pid_t, output: Descriptor, errors: Descriptor, on loop: EventLoop,
        taker: (@Sendable ([UInt8]) -> Void)? = nil
    ) throws {
        let end = pidfd_open(pid, 0)
        guard end >= 0 else { throw TestFailure("pidfd_open: \(String(cString: strerror(errno)))") }
        RunningChildren.add(pid)
        let process = Descriptor(owning: end)
        let streams = [output, errors]
        for stream in streams {
            _ = fcntl(stream.rawValue, F_SETFL, O_NONBLOCK)
        }
        try state.withLock { state in
            for (number, stream) in streams.enumerated() {
                state.watches[number] = try loop.watch(stream.rawValue, for: .readable) { [self] _ in
                    change { state in
                        let isAtEnd = Self.read(stream, into: &state.bytes[number])
                        if number == ChildProcess.Stream.output.rawValue { state.hand(to: taker) }
                        if isAtEnd { state.forget(number) }
                    }
                }
            }
            state.watches[streams.count] = try loop.watch(process.rawValue, for: .readable) { [self] _ in
                change { state in
                    for (number, stream) in streams.enumerated() {
                        _ = Self.read(stream, into: &state.bytes[number])
                    }
                    state.hand(to: taker)
                    state.status = RunningChildren.remove(pid) { Self.reap(pid) }
                    _ = process
                    state.forget(streams.count)
                }
            }
        }
    }

    /// Stops reading. The process is still reaped when it ends.
    func close() {
        state.withLock { state in
            state.forget(ChildProcess.Stream.output.rawValue)
            state.forget(ChildProcess.Stream.errors.rawValue)
        }
    }

    /// Tries now and after each change. Fails after the timeout.
    func wait(
        on loop: EventLoop, within timeout: Duration,
        attempt: @escaping @Sendable (State) -> Bool, fail: @escaping @Sendable (State) -> Void
    ) {
        state.withLock { state in
            if attempt(state) { return }
            state.lastWaiter += 1
            let id = state.lastWaiter
            let deadline = loop.schedule(after: timeout) { [self] in
                self.state.withLock { state in
                    if let waiter = state.waiters.removeValue(forKey: id) { waiter.fail(state) }
                }
            }
            state.waiters[id] = Waiter(attempt: attempt, fail: fail, deadline: deadline)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            for (id, waiter) in state.waiters where waiter.attempt(state) {
                waiter.deadline.cancel()
                state.waiters[id] = nil
            }
        }
    }

    /// Reads what is available. Returns whether the stream has ended.
    private static func read(_ stream: Descriptor, into bytes: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(stream.rawValue, &buffer, buffer.count)
            if count > 0 { bytes += buffer.prefix(count) } else { return count == 0 }
        }
    }

    private static func reap(_ pid: pid_t) -> ChildProcess.ExitStatus {
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        // What WIFSIGNALED, WTERMSIG and WEXITSTATUS do, which are macros.
        let signal = status & 0x7f
        return signal != 0 ? .signalled(signal) : .exited(status >> 8 & 0xff)
    }
}

extension ChildRecord.State {
    /// Passes the output to the taker, if there is one.
    fileprivate mutating func hand(to taker: (@Sendable ([UInt8]) -> Void)?) {
        let output = ChildProcess.Stream.output.rawValue
        guard let taker, !bytes[output].isEmpty else { return }
        taker(bytes[output])
        bytes[output] = []
    }

    fileprivate mutating func forget(_ watch: Int) {
        watches.removeValue(forKey: watch)?.cancel()
    }
}

/// The programs to kill when this process exits. Another thread may still hold their objects then.
private enum RunningChildren {
    private static let pids: Lock<Set<pid_t>> = {
        atexit { RunningChildren.killAll() }
        return Lock([])
    }()

    static func add(_ pid: pid_t) {
        pids.withLock { _ = $0.insert(pid) }
    }

    /// Reaps it under the lock, because the pid may be reused after that.
    static func remove<Status>(_ pid: pid_t, reap: () -> Status) -> Status {
        pids.withLock { pids in
            pids.remove(pid)
            return reap()
        }
    }

    private static func killAll() {
        for pid in pids.withLock({ $0 }) { kill(pid, SIGKILL) }
    }
}
