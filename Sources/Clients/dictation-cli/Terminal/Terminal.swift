import Glibc

/// The terminal on standard input or output.
enum Terminal {
    /// Whether standard output can be rewritten in place.
    static var isLive: Bool {
        isatty(STDOUT_FILENO) == 1 && !["", "dumb"].contains(variable("TERM") ?? "")
    }

    /// https://no-color.org
    static var hasColour: Bool { (variable("NO_COLOR") ?? "").isEmpty }

    /// Whether the keyboard can be read: it is a terminal, and this program is in the foreground.
    static var hasKeyboard: Bool {
        isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
    }

    static var size: (columns: Int, rows: Int) {
        // The layout of winsize. Which module has its members depends on the version of glibc.
        var size: (rows: UInt16, columns: UInt16, width: UInt16, height: UInt16) = (0, 0, 0, 0)
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.columns > 0, size.rows > 0 else {
            return (80, 24)
        }
        return (Int(size.columns), Int(size.rows))
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
