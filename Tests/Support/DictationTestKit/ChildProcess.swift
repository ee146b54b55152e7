import EventLoop
import Foundation
import Glibc

/// A program that a test runs: its output and exit status. Killed with this object.
public final class ChildProcess: Sendable {
    public enum ExitStatus: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    public enum Stream: Int, Sendable {
        case output, errors
    }

    public let name: String
    private let program: Subprocess
    public var pid: Int32 { program.pid }
    private let input: Lock<Descriptor?>
    private let record = ChildRecord()

    /// Starts a program.
    /// - Parameters:
    ///   - arguments: the program, looked up in `PATH`, and its arguments.
    ///   - environment: all of it; by default this process's own.
    ///   - additions: added to the environment.
    ///   - taker: called with its output, on a thread of the test kit; the output is not kept then.
    public init(
        _ arguments: [String], environment: [String: String]? = nil, adding additions: [String: String] = [:],
        output taker: (@Sendable ([UInt8]) -> Void)? = nil
    ) throws {
        let loop = try Self.loop.get()
        let input = try Descriptor.pipe()
        let output = try Descriptor.pipe()
        let errors = try Descriptor.pipe()
        let variables = (environment ?? Self.ownEnvironment).merging(additions) { $1 }
            .merging(Self.sanitizers) { $1 }
        program = try Subprocess(
            arguments, environment: variables,
            files: [
                0: .descriptor(input.reading.rawValue), 1: .descriptor(output.writing.rawValue),
                2: .descriptor(errors.writing.rawValue),
            ])
        name = arguments.first ?? ""
        self.input = Lock(input.writing)
        try record.follow(pid, output: output.reading, errors: errors.reading, on: loop, taker: taker)
    }

    deinit {
        kill()
        record.close()
    }

    /// Runs a program and waits for its end.
    public static func run(
        _ arguments: [String], environment: [String: String]? = nil, adding additions: [String: String] = [:],
        within timeout: Duration = timeout
    ) async throws -> (status: ExitStatus, output: String, errors: String) {
        let child = try ChildProcess(arguments, environment: environment, adding: additions)
        child.closeInput()
        let status = try await child.exitStatus(within: timeout)
        return (status, child.text(of: .output), child.text(of: .errors))
    }

    // MARK: Output

    /// All its output so far.
    public func text(of stream: Stream) -> String {
        String(decoding: record.state.withLock { $0.bytes[stream.rawValue] }, as: UTF8.self)
    }

    /// Its complete lines so far, without empty ones. Some programs write a line in several pieces.
    public func lines(of stream: Stream) -> [String] {
        Self.completeLines(of: record.state.withLock { $0.bytes[stream.rawValue] })
            .filter { !$0.isEmpty }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first complete line, present or to come, that `matches`.
    public func line(
        of stream: Stream, within timeout: Duration = timeout,
        where matches: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async throws -> String {
        try await wait(for: "a line", within: timeout) { state in
            Self.completeLines(of: state.bytes[stream.rawValue])
                .lazy.map { String(decoding: $0, as: UTF8.self) }.first(where: matches)
        }
    }

    private static func completeLines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return bytes[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    // MARK: Input

    /// Writes to its input. The text must fit into a pipe, 64 KiB.
    public func write(_ text: String) throws {
        let written = input.withLock { input in
            input.map { Glibc.write($0.rawValue, text, text.utf8.count) } ?? 0
        }
        guard written == text.utf8.count else { throw TestFailure("\(name) does not read its input") }
    }

    public func closeInput() {
        input.withLock { $0 = nil }
    }

    // MARK: Exit

    /// Its exit status, after its end. All output has been read then.
    public func exitStatus(within timeout: Duration = timeout) async throws -> ExitStatus {
        try await wait(for: "its end", within: timeout) { $0.status }
    }

    /// Whether it is stopped, as by Ctrl-Z.
    public var isStopped: Bool {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return text.split(separator: ")").last?.split(separator: " ").first == "T"
    }

    public var isRunning: Bool { record.state.withLock { $0.status == nil } }

    public func send(_ signal: Int32) {
        // Under the lock under which it is reaped, because the pid may be reused after that.
        record.state.withLock { state in
            if state.status == nil { program.send(signal) }
        }
    }

    public func terminate() { send(SIGTERM) }

    /// Returns when it stands still.
    public func stop() throws { try stopProcess(pid) }

    public func kill() { send(SIGKILL) }

    private func wait<Result: Sendable>(
        for what: String, within timeout: Duration,
        _ find: @escaping @Sendable (ChildRecord.State) -> Result?
    ) async throws -> Result {
        let loop = try Self.loop.get()
        return try await withCheckedThrowingContinuation { continuation in
            record.wait(
                on: loop, within: timeout,
                attempt: { state in
                    guard let result = find(state) else { return false }
                    continuation.resume(returning: result)
                    return true
                },
                fail: { [name] state in
                    let written = [Stream.output, .errors].map { stream in
                        "\(stream):\n\(String(decoding: state.bytes[stream.rawValue], as: UTF8.self))"
                    }
                    continuation.resume(
                        throwing: TestFailure(
                            "\(name): \(what) did not come within \(timeout)\n\(written.joined(separator: "\n"))"
                        ))
                })
        }
    }
}

extension ChildProcess {
    /// Reads the output of all child processes and reaps them.
    fileprivate static let loop = Result { () throws(EventLoopError) in
        // Writing to a child that does not read fails; it does not end this process.
        signal(SIGPIPE, SIG_IGN)
        return try EventLoop(name: "children")
    }

    private static var ownEnvironment: [String: String] {
        ProcessInfo.processInfo.environment
    }

    /// The tests' options for sanitizers apply to the programs too.
    static var sanitizers: [String: String] {
        ownEnvironment.filter { ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key) }
    }
}
