internal import CLinux
internal import EventLoop
internal import Glibc
internal import TypingRoutes

/// A child process, its output on standard output and standard error, and its exit status. It is killed with this object,
/// unless it goes into the background itself. Signals to the terminal's process group do not end it.
@EventLoopActor
final class Tool {
    /// Its output, up to ``outputLimit`` bytes.
    private(set) var output: [UInt8] = []
    /// The status from waitpid(2); nil while it runs.
    private(set) var status: Int32?

    private let program: Subprocess
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
        let program = try Subprocess(
            arguments, environment: environment,
            files: [
                0: .descriptor(itsInput.rawValue), 1: .descriptor(itsOutput.rawValue),
                2: .descriptor(itsOutput.rawValue),
            ], isSessionLeader: true)
        self.program = program
        let number = pidfd_open(program.pid, 0)
        guard number >= 0 else {
            let error = EventLoopError(call: "pidfd_open", code: errno)
            program.killAndWait()
            throw error
        }
        process = Descriptor(owning: number)
        _ = fcntl(reading.rawValue, F_SETFL, O_NONBLOCK)
        outputWatch = try EventLoopActor.watch(reading.rawValue, for: .readable) { [weak self] _ in
            self?.read()
        }
        processWatch = try EventLoopActor.watch(number, for: .readable) { [weak self] _ in self?.reap() }
    }

    enum Result {
        case output([UInt8])
        /// It cannot be run, or its exit status is not 0.
        case failed
        case timedOut

        var output: [UInt8]? { if case .output(let bytes) = self { bytes } else { nil } }
    }

    static func run(
        _ arguments: [String], input: [UInt8] = [], environment: [String: String], timeout: Duration
    ) async -> Result {
        let waiter = ChangeWaiter()
        let tool = try? Tool(arguments, input: input, environment: environment) { waiter.resume() }
        guard let tool else { return .failed }
        guard await waiter.wait(within: timeout, for: { !tool.isRunning }) else { return .timedOut }
        return tool.status == 0 ? .output(tool.output) : .failed
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
        guard let status = program.statusIfEnded() else { return }
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
        if isRunning { program.killAndWait() }
    }
}
