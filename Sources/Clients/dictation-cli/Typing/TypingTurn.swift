import EventLoop
import Glibc

/// The right to type into the windows of a desktop session. One `type` has it at a time, because two would take the input
/// method from each other. The kernel ends it with the program.
final class TypingTurn {
    private let path: String
    private var file: Descriptor?

    /// Takes the turn. Nil if there is no folder for it.
    init?(environment: [String: String]) throws(TypingTurnTaken) {
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
        let display = environment["WAYLAND_DISPLAY"] ?? environment["DISPLAY"] ?? ""
        let name = String(display.map { $0.isLetter || $0.isNumber ? $0 : "-" })
        path = "\(folder)/dictation-type\(name.isEmpty ? "" : "-\(name)").lock"
        try begin()
    }

    /// Takes the turn when the program that has it gives it up.
    static func next(
        environment: [String: String], within timeout: Duration
    ) async throws -> TypingTurn? {
        let end = ContinuousClock.now + timeout
        while true {
            do throws(TypingTurnTaken) {
                return try TypingTurn(environment: environment)
            } catch {
                guard ContinuousClock.now < end else { throw error }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func begin() throws(TypingTurnTaken) {
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // Without the file nothing keeps two programs apart, which is no reason not to type.
        guard number >= 0 else { return }
        let file = Descriptor(owning: number)
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { throw TypingTurnTaken(owner: Self.owner(number)) }
        }
        self.file = file
        // For the message of the next program.
        let text = "\(getpid())\n"
        ftruncate(number, 0)
        pwrite(number, text, text.utf8.count, 0)
    }

    func end() { file = nil }

    private static func owner(_ file: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(file, &bytes, bytes.count, 0)
        return Int32(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).prefix { $0.isNumber })
    }
}

/// Another program has the turn.
struct TypingTurnTaken: Error, CustomStringConvertible {
    var owner: Int32?

    var description: String {
        let process = owner.map { " (process \($0))" } ?? ""
        return "“dictation-cli type” is running already\(process). End that one first, with Ctrl-C or a "
            + "signal."
    }
}
