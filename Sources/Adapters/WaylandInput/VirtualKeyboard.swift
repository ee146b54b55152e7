internal import CLinux
internal import CWaylandInput
internal import EventLoop
internal import Glibc

/// A keyboard that types any character into the window with the focus.
///
/// The compositor gives each key to the window that has the focus when it reads the key, and no request names a window.
/// So each key is sent after an answer of the compositor that reports no change of focus. If the focus moves between that
/// answer and the key, this one key reaches the other window; the protocol cannot prevent that. No further key is sent.
@EventLoopActor
final class VirtualKeyboard: WindowTyping {
    private let connection: WaylandConnection
    private var keymap = VirtualKeymap()

    /// Characters that get their keys at once.
    private static let batch = 8
    /// Between two keys. The compositor disconnects an application that has some 360 keys to read, because its socket is full.
    /// At this pace an application may be busy for a second. The less often a key is under way, the fewer reach another window.
    private static let interval = Duration.milliseconds(4)
    /// When the next key may be sent.
    private var schedule = ContinuousClock.now

    /// Delay before the first key. If there is no other keyboard, applications learn of this one only now, and would lose
    /// the first key.
    init(on connection: WaylandConnection) {
        self.connection = connection
        connection.send { dictation_wayland_begin_keyboard($0) }
        connection.sendKeymap(keymap.text)
    }

    /// - Parameter mayContinue: called before each key, and after the last.
    /// - Returns: whether everything was typed, and the focus did not move before the compositor had the last key.
    func type(_ text: String, while mayContinue: @escaping @EventLoopActor () -> Bool) async -> Bool {
        var rest = Array(text.unicodeScalars)[...]
        while !rest.isEmpty {
            guard !Task.isCancelled, mayContinue() else { return false }
            let part = Array(rest.prefix(Self.batch))
            rest = rest.dropFirst(part.count)
            let (keys, hasChanged) = keymap.keys(for: part)
            if hasChanged { connection.sendKeymap(keymap.text) }
            for key in keys {
                await waitForTurn()
                guard await connection.synced(), !Task.isCancelled else { return false }
                press(key, while: mayContinue)
            }
        }
        return await connection.synced() && mayContinue()
    }

    private func waitForTurn() async {
        let delay = schedule - .now
        if delay > .zero { await EventLoopActor.pause(delay) }
        schedule = .now + Self.interval
    }

    private func press(_ key: UInt32, while mayContinue: @escaping @EventLoopActor () -> Bool) {
        let time = UInt32(truncatingIfNeeded: EventLoopActor.milliseconds)
        connection.send { wayland in
            guard mayContinue() else { return }
            dictation_wayland_key(wayland, time, key, true)
            dictation_wayland_key(wayland, time, key, false)
        }
    }

    func close() { connection.send { dictation_wayland_end_keyboard($0) } }
}

extension EventLoopActor {
    /// The time in milliseconds by the clock of input events.
    static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
