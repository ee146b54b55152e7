import EventLoop
import Foundation
import Glibc

/// A terminal with a size, and a program in its foreground.
public final class PseudoTerminal: Sendable {
    private let master: Descriptor
    private let loop: EventLoop
    private let watch: EventLoop.Watch
    private let output = Output()
    private let program: Subprocess

    private final class Output: Sendable {
        let bytes = Lock<[UInt8]>([])
        let isAtEnd = Lock(false)
    }

    // TIOCGPTN and TIOCSPTLCK, which are macros with arguments. Glibc hides unlockpt and ptsname from Swift.
    private static let getNumber: UInt = 0x8004_5430
    private static let setLock: UInt = 0x4004_5431

    public init(_ arguments: [String], environment: [String: String], columns: Int = 60, rows: Int = 12)
        throws
    {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var number: Int32 = 0
        var isLocked: Int32 = 0
        guard master >= 0, ioctl(master, Self.setLock, &isLocked) == 0,
            ioctl(master, Self.getNumber, &number) == 0
        else { throw TestFailure("no pseudo-terminal: \(String(cString: strerror(errno)))") }
        self.master = Descriptor(owning: master)
        let slave = "/dev/pts/\(number)"
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)

        let variables = ["PATH": "/usr/bin:/bin", "TERM": "xterm-256color"].merging(environment) { $1 }
            .merging(ChildProcess.sanitizers) { $1 }
        // A session leader that opens a terminal gets it as the controlling terminal.
        let terminal = Subprocess.File.path(slave, flags: O_RDWR)
        program = try Subprocess(
            arguments, environment: variables, files: [0: terminal, 1: terminal, 2: terminal],
            isSessionLeader: true)

        loop = try EventLoop(name: "terminal")
        watch = try loop.watch(master, for: .readable) { [output] _ in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(master, &buffer, buffer.count)
            output.bytes.withLock { $0 += buffer.prefix(max(0, count)) }
            // Reading fails after the last process has closed the terminal.
            if count <= 0 { output.isAtEnd.withLock { $0 = true } }
        }
    }

    deinit {
        program.killAndWait()
        watch.cancel()
        let loop = loop
        Thread.detachNewThread { loop.shutDown() }
    }

    /// The present screen.
    public var screen: TerminalScreen {
        let written = output.bytes.withLock { $0 }
        var screen = TerminalScreen(columns: size.columns, rows: size.rows)
        screen.write(String(decoding: written, as: UTF8.self))
        return screen
    }

    /// All output so far.
    public var transcript: String { String(decoding: output.bytes.withLock { $0 }, as: UTF8.self) }

    public func press(_ keys: String) { _ = write(master.rawValue, keys, keys.utf8.count) }

    public func send(_ signal: Int32) { program.send(signal) }

    /// - Parameter lines: how many lines of the screen have the text, at least.
    public func shows(_ text: String, inLines lines: Int = 1) async throws {
        do {
            try await eventually("“\(text)” on the screen") {
                screen.lines.count { $0.contains(text) } >= lines
            }
        } catch {
            throw TestFailure("\(error); the screen is:\n\(screen.lines.joined(separator: "\n"))")
        }
    }

    public var size: (columns: Int, rows: Int) {
        get {
            var size = winsize()
            _ = ioctl(master.rawValue, UInt(TIOCGWINSZ), &size)
            return (Int(size.ws_col), Int(size.ws_row))
        }
        set {
            var size = winsize(
                ws_row: UInt16(newValue.rows), ws_col: UInt16(newValue.columns), ws_xpixel: 0, ws_ypixel: 0)
            // The kernel sends SIGWINCH.
            _ = ioctl(master.rawValue, UInt(TIOCSWINSZ), &size)
        }
    }

    /// Cooked mode with echo, as a shell uses it.
    public var isCooked: Bool {
        var settings = termios()
        tcgetattr(master.rawValue, &settings)
        return settings.c_lflag & tcflag_t(ICANON) != 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Whether the program has ended.
    public var hasEnded: Bool { program.hasEnded }

    /// The program's exit status; negative for a signal. All output has been read then.
    public func exitCode() async throws -> Int32 {
        var status: Int32 = 0
        try await eventually("the program ends") { waitpid(program.pid, &status, WNOHANG) == program.pid }
        try await eventually("all is read") { output.isAtEnd.withLock { $0 } }
        watch.cancel()
        let signal = status & 0x7f
        return signal != 0 ? -signal : status >> 8 & 0xff
    }

    /// Whether the program is stopped, as by Ctrl-Z.
    public var isStopped: Bool {
        let text = (try? String(contentsOfFile: "/proc/\(program.pid)/stat", encoding: .utf8)) ?? ""
        return text.split(separator: ")").last?.split(separator: " ").first == "T"
    }
}
