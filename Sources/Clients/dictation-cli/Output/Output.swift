import EventLoop
import Glibc
import Localization

/// Why text could not be written.
enum OutputError: Error, Hashable {
    /// The reader has closed the output.
    case closed
    /// An error number of the system, such as that of a full disk.
    case failed(Int32)

    static func last() -> OutputError { errno == EPIPE ? .closed : .failed(errno) }

    var status: ExitStatus {
        switch self {
        case .closed: .outputClosed
        case .failed: .ioError
        }
    }
}

/// A descriptor that text is written to, unbuffered, so that the reader of a pipe gets each line at once.
struct Output {
    static let standardOutput = Output(descriptor: STDOUT_FILENO)
    static let standardError = Output(descriptor: STDERR_FILENO)

    let descriptor: Int32

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func write(_ text: String) throws(OutputError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                throw .last()
            }
        }
    }

    /// Writes a line to standard output. If that fails, for example because the disk is full, the line goes to standard
    /// error, after a message.
    func line(_ text: String, terminator: String = "\n") throws(OutputError) {
        do {
            try write(text + terminator)
        } catch .failed(let code) {
            if descriptor != STDERR_FILENO {
                let errors = Output.standardError
                errors.writeNotice(
                    translated("The output cannot be written: \(String(cString: strerror(code))). Its text:"))
                try? errors.write((errors.isTerminal ? DisplayText.harmlessLines(text) : text) + "\n")
            }
            throw .failed(code)
        }
    }

    /// Writes dictated text: to a terminal without anything that controls it, else as it is.
    func text(_ text: String, terminator: String = "\n") throws(OutputError) {
        try line(isTerminal ? DisplayText.harmlessLines(text) : text, terminator: terminator)
    }

    /// One line about what was done, on a terminal. Scripts read the exit code.
    static func confirm(_ message: UserText) {
        if standardError.isTerminal { standardError.writeNotice(message.description) }
    }

    /// A message for people. Errors are ignored.
    func writeNotice(_ text: String) {
        try? line(DisplayText.harmless(text))
    }

    /// Calls `handler`, on the loop, when the reader of a pipe or a socket has closed it. Files and terminals have no
    /// such reader.
    func watchReader(on loop: EventLoop, _ handler: @escaping @Sendable () -> Void) -> EventLoop.Watch? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
            return nil
        }
        return try? loop.watch(descriptor, for: .closedByReader) { found in
            if found.contains(.error) || found.contains(.hangUp) { handler() }
        }
    }
}

extension EventLoop.Interest {
    /// EPOLLET and no event that a pipe has: only errors are reported, and once.
    fileprivate static let closedByReader = EventLoop.Interest(rawValue: 1 << 31)
}
