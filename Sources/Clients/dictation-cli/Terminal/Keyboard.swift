import EventLoop
import Glibc

/// The terminal's keyboard, key by key and without echo, until `close()`. Ctrl-C and Ctrl-Z still send signals.
final class Keyboard {
    private var saved = termios()
    private var watch: EventLoop.Watch?

    /// Nil if the terminal does not allow it.
    init?(on loop: EventLoop, _ handler: @escaping @Sendable (Key) -> Void) {
        guard Terminal.hasKeyboard, tcgetattr(STDIN_FILENO, &saved) == 0 else { return nil }
        takeOver()
        let watch = try? loop.watch(STDIN_FILENO, for: .readable) { _ in
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            // A terminal that was closed reads as end of file.
            if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { return handler(.quit) }
            for key in Key.keys(in: bytes.prefix(max(0, count))) { handler(key) }
        }
        guard let watch else {
            giveBack()
            return nil
        }
        self.watch = watch
    }

    deinit { close() }

    func takeOver() {
        var changed = saved
        changed.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &changed)
    }

    /// The terminal's original settings.
    func giveBack() {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &saved)
    }

    func close() {
        guard let watch else { return }
        watch.cancel()
        self.watch = nil
        giveBack()
    }
}
