import Glibc

/// The reader has closed the output.
struct OutputClosed: Error {}

/// A descriptor that text is written to, unbuffered, so that the reader of a pipe gets each line at once.
struct Output {
    static let standardOutput = Output(descriptor: STDOUT_FILENO)
    static let standardError = Output(descriptor: STDERR_FILENO)

    let descriptor: Int32

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func write(_ text: String) throws(OutputClosed) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                throw OutputClosed()
            }
        }
    }

    func line(_ text: String) throws(OutputClosed) {
        try write(text + "\n")
    }

    /// A message for people. Errors are ignored.
    func note(_ text: String) {
        try? line(DisplayText.harmless(text))
    }
}
