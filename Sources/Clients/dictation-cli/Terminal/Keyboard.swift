import EventLoop
import Glibc

/// The terminal's keyboard, key by key and without echo, until `close()`. Ctrl-C and Ctrl-Z still send signals.
final class Keyboard {
    private var saved = termios()
    private let input: KeyboardInput

    /// Nil if the terminal does not allow it.
    /// - Parameter handler: called on the loop.
    init?(on loop: EventLoop, _ handler: @escaping @Sendable (Key) -> Void) {
        input = KeyboardInput(loop: loop, handler: handler)
        guard Terminal.hasKeyboard, tcgetattr(STDIN_FILENO, &saved) == 0 else { return nil }
        enterRawMode()
        guard input.begin() else {
            restoreMode()
            return nil
        }
    }

    deinit { close() }

    func enterRawMode() {
        var changed = saved
        changed.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &changed)
    }

    /// The terminal's original settings.
    func restoreMode() {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &saved)
    }

    func close() {
        if input.end() { restoreMode() }
    }
}

/// Reads the keyboard on the loop.
private final class KeyboardInput: Sendable {
    private struct State {
        var reader = KeyReader()
        var watch: EventLoop.Watch?
        /// Runs within a sequence of Escape.
        var timeout: EventLoop.Timer?
    }

    private let loop: EventLoop
    private let handler: @Sendable (Key) -> Void
    private let state = Lock(State())

    init(loop: EventLoop, handler: @escaping @Sendable (Key) -> Void) {
        self.loop = loop
        self.handler = handler
    }

    /// Returns whether the keyboard can be read.
    func begin() -> Bool {
        guard
            let watch = try? loop.watch(
                STDIN_FILENO, for: .readable, { [weak self] _ in self?.read() })
        else { return false }
        state.withLock { $0.watch = watch }
        return true
    }

    /// Returns whether the keyboard was read until now.
    func end() -> Bool {
        state.withLock { state in
            state.timeout?.cancel()
            let watch = state.watch.take()
            watch?.cancel()
            return watch != nil
        }
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else {
            // A terminal that was closed reads as end of file, again and again.
            state.withLock { $0.watch?.interest = [] }
            return handler(.quit)
        }
        let keys = state.withLock { state in
            state.timeout?.cancel()
            let keys = state.reader.keys(in: bytes.prefix(count))
            if state.reader.isWithinSequence {
                state.timeout = loop.schedule(after: KeyReader.sequenceTimeout) { [weak self] in
                    self?.endSequence()
                }
            }
            return keys
        }
        for key in keys { handler(key) }
    }

    private func endSequence() {
        for key in state.withLock({ $0.reader.endSequence() }) { handler(key) }
    }
}
