import CLinux
import DictationCore
import EventLoop
import Glibc

/// Gives a final text to a program of the user's, and takes its output instead. Only for a process of that user.
///
/// The program runs without a terminal, with the text on its standard input, and its errors are not logged: they could
/// contain the text.
final class TextFilter: Sendable {
    /// How long the program has for a text.
    private let timeout: Duration
    /// Maximum number of bytes of its output.
    static let outputLimit = 1 << 20
    /// Programs at the same time. Further texts stay as they are.
    static let limit = 4

    private let running = Lock(0)

    init(timeout: Duration = .seconds(10)) { self.timeout = timeout }

    /// - Parameter language: a BCP 47 tag, for the program.
    func filter(_ text: String, by command: String, language: String) async -> FilteredText {
        let isFree = running.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
        guard isFree else { return .failed("\(Self.limit) texts are being filtered already") }
        return await withCheckedContinuation { continuation in
            do throws(EventLoopError) {
                try OwnThread.start("filter") { [self] in
                    run(command, text, language) { continuation.resume(returning: $0) }
                    running.withLock { $0 -= 1 }
                }
            } catch {
                running.withLock { $0 -= 1 }
                continuation.resume(returning: .failed("\(error)"))
            }
        }
    }

    /// Returns when the program has ended. That may be long after the answer: a program in the kernel cannot be killed.
    private func run(_ command: String, _ text: String, _ language: String, _ answer: (FilteredText) -> Void)
    {
        do throws(EventLoopError) {
            let (program, output) = try start(command, text, language)
            let result = read(output, of: program)
            // It, and what it has started.
            kill(-program.pid, SIGKILL)
            switch result {
            case .success(let bytes):
                let status = try program.wait()
                answer(status == 0 ? FilteredText(output: bytes, of: text) : .failed(Self.reason(status)))
            case .failure(let failure):
                answer(.failed(failure.reason))
                program.killAndWait()
            }
        } catch {
            answer(.failed("\(error)"))
        }
    }

    private static func reason(_ status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0
            ? "it exited with status \((status >> 8) & 0xFF)" : "it was ended by signal \(signal)"
    }

    /// Starts the program. Returns the reading end of its output.
    private func start(
        _ command: String, _ text: String, _ language: String
    ) throws(EventLoopError) -> (Subprocess, Descriptor) {
        let number = dictation_linux_memory_file("text")
        guard number >= 0 else { throw EventLoopError(call: "memfd_create", code: errno) }
        let input = Descriptor(owning: number)
        let bytes = Array(text.utf8)
        guard pwrite(input.rawValue, bytes, bytes.count, 0) == bytes.count else {
            throw EventLoopError(call: "pwrite", code: errno)
        }
        let output = try Descriptor.pipe()
        _ = fcntl(output.reading.rawValue, F_SETFL, O_NONBLOCK)
        let program = try Subprocess(
            ["/usr/bin/env", "DICTATION_LANGUAGE=\(language)", "/bin/sh", "-c", command],
            files: [
                0: .descriptor(input.rawValue), 1: .descriptor(output.writing.rawValue),
                2: .path("/dev/null", flags: O_WRONLY),
            ], isSessionLeader: true)
        return (program, output.reading)
    }

    private struct Failure: Error { let reason: String }

    /// What a program writes until it ends.
    private func read(_ output: Descriptor, of program: Subprocess) -> Result<[UInt8], Failure> {
        let number = pidfd_open(program.pid, 0)
        guard number >= 0 else {
            return .failure(Failure(reason: "pidfd_open: \(String(cString: strerror(errno)))"))
        }
        let ended = Descriptor(owning: number)
        let deadline = ContinuousClock.now + timeout
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        var isOpen = true
        while true {
            // A descriptor below 0 is left out.
            var files = [
                pollfd(fd: ended.rawValue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isOpen ? output.rawValue : -1, events: Int16(POLLIN), revents: 0),
            ]
            let left = deadline - .now
            guard left > .zero else { return .failure(Failure(reason: "it took longer than \(timeout)")) }
            guard poll(&files, 2, Int32(clamping: Int(left / .milliseconds(1)) + 1)) >= 0 || errno == EINTR
            else {
                return .failure(Failure(reason: "poll: \(String(cString: strerror(errno)))"))
            }
            // What it wrote before it ended is there.
            let hasEnded = files[0].revents != 0
            while isOpen {
                let count = Glibc.read(output.rawValue, &buffer, buffer.count)
                if count > 0 {
                    bytes += buffer.prefix(count)
                    guard bytes.count <= Self.outputLimit else {
                        return .failure(Failure(reason: "it wrote more than \(Self.outputLimit) bytes"))
                    }
                } else if count == 0 {
                    isOpen = false
                } else if errno != EINTR {
                    break
                }
            }
            if hasEnded { return .success(bytes) }
        }
    }
}
