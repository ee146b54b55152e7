internal import CLinux
internal import EventLoop
internal import Glibc

/// A child process, with the output that it writes to standard output and standard error, and its exit status. It ends with
/// this object, unless it goes into the background itself.
@EventLoopActor
final class Tool {
    /// Its output, up to ``outputLimit`` bytes.
    private(set) var output: [UInt8] = []
    /// The status from waitpid(2); nil while it runs.
    private(set) var status: Int32?

    private let pid: pid_t
    private let reading: Descriptor
    private let process: Descriptor
    private var outputWatch: EventLoop.Watch?
    private var processWatch: EventLoop.Watch?
    private let onChange: @EventLoopActor () -> Void

    static let outputLimit = 1 << 20
    /// The capacity of a pipe: writing this much does not block.
    static let inputLimit = 32 << 10

    /// - Parameters:
    ///   - input: at most ``inputLimit`` bytes.
    ///   - onChange: called when it has written something, and when it has ended.
    init(
        _ arguments: [String], input: [UInt8] = [], environment: [String: String],
        onChange: @escaping @EventLoopActor () -> Void
    ) throws(EventLoopError) {
        self.onChange = onChange
        let (itsInput, writing) = try Descriptor.pipe()
        let (reading, itsOutput) = try Descriptor.pipe()
        self.reading = reading
        guard input.count <= Self.inputLimit, write(writing.rawValue, input, input.count) == input.count
        else {
            throw EventLoopError(call: "write", code: EMSGSIZE)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, itsInput.rawValue, 0)
        posix_spawn_file_actions_adddup2(&actions, itsOutput.rawValue, 1)
        posix_spawn_file_actions_adddup2(&actions, itsOutput.rawValue, 2)
        let words = arguments.map { strdup($0) }
        let variables = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { for pointer in words + variables { free(pointer) } }
        var pid = pid_t()
        let code = posix_spawnp(&pid, arguments[0], &actions, nil, words + [nil], variables + [nil])
        guard code == 0 else { throw EventLoopError(call: arguments[0], code: code) }
        self.pid = pid
        let number = pidfd_open(pid, 0)
        guard number >= 0 else {
            let error = EventLoopError(call: "pidfd_open", code: errno)
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
            throw error
        }
        process = Descriptor(owning: number)
        _ = fcntl(reading.rawValue, F_SETFL, O_NONBLOCK)
        outputWatch = try EventLoopActor.watch(reading.rawValue, for: .readable) { [weak self] _ in
            self?.read()
        }
        processWatch = try EventLoopActor.watch(number, for: .readable) { [weak self] _ in self?.reap() }
    }

    /// What a tool wrote until it ended; nil where it failed or took too long.
    static func run(
        _ arguments: [String], input: [UInt8] = [], environment: [String: String], timeout: Duration
    ) async -> [UInt8]? {
        let waiter = ToolWaiter()
        let tool = try? Tool(arguments, input: input, environment: environment) { waiter.resume() }
        guard let tool, await waiter.wait(within: timeout, for: { !tool.isRunning }) else { return nil }
        return tool.status == 0 ? tool.output : nil
    }

    var isRunning: Bool { status == nil }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = Glibc.read(reading.rawValue, &bytes, bytes.count)
        if count > 0 {
            output += bytes.prefix(min(count, Self.outputLimit - output.count))
        } else if count == 0 || errno != EAGAIN {
            outputWatch.take()?.cancel()
        }
        onChange()
    }

    private func reap() {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return }
        // The rest of its output is still in the pipe.
        while let watch = outputWatch, output.count < Self.outputLimit {
            let before = output.count
            read()
            if output.count == before || outputWatch !== watch { break }
        }
        self.status = status
        end()
        onChange()
    }

    private func end() {
        outputWatch.take()?.cancel()
        processWatch.take()?.cancel()
    }

    isolated deinit {
        end()
        guard isRunning else { return }
        kill(pid, SIGKILL)
        // SIGKILL cannot be ignored, so this does not block for long.
        waitpid(pid, nil, 0)
    }
}

/// Waits for output and ends of tools.
@EventLoopActor
final class ToolWaiter {
    private var waiter: CheckedContinuation<Void, Never>?

    func resume() { waiter.take()?.resume() }

    /// Waits until `condition` holds after a change, or until the timeout.
    /// - Returns: whether it holds.
    func wait(within timeout: Duration, for condition: @EventLoopActor () -> Bool) async -> Bool {
        var isOver = false
        let deadline = EventLoopActor.schedule(after: timeout) { [weak self] in
            isOver = true
            self?.resume()
        }
        defer { deadline.cancel() }
        while !condition(), !isOver { await withCheckedContinuation { waiter = $0 } }
        return condition()
    }
}
