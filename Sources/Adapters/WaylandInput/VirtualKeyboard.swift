internal import CLinux
internal import CWaylandInput
internal import EventLoop
internal import Glibc

/// A keyboard that types any character into the window with the focus.
///
/// It types a few characters at a time, and the next when the compositor has handled those: the compositor disconnects an
/// application that gets keys faster than it reads them. If the focus moves meanwhile, these few reach the next window.
@EventLoopActor
final class VirtualKeyboard {
    private let connection: WaylandConnection
    private var keymap = VirtualKeymap()
    private var typing: Task<Void, Never>?

    /// Maximum number of characters sent at once.
    private static let batch = 8
    /// Delay between two batches.
    private static let pause = Duration.milliseconds(2)

    /// Delay before the first key. If there is no other keyboard, applications learn of this one only now, and would lose
    /// the first key.
    init(on connection: WaylandConnection) {
        self.connection = connection
        connection.send { dictation_wayland_begin_keyboard($0) }
        sendKeymap()
    }

    /// Types a text after the earlier ones.
    /// - Parameters:
    ///   - mayContinue: called before each batch, so that nothing is typed into another window.
    ///   - completion: called with whether everything was typed.
    func type(
        _ text: String, while mayContinue: @escaping @EventLoopActor () -> Bool,
        completion: @escaping @EventLoopActor (Bool) -> Void
    ) {
        let previous = typing
        typing = Task {
            await previous?.value
            completion(await type(Array(text.unicodeScalars), while: mayContinue))
        }
    }

    private func type(
        _ text: [Unicode.Scalar], while mayContinue: @EventLoopActor () -> Bool
    ) async -> Bool {
        var rest = text[...]
        while !rest.isEmpty {
            guard !Task.isCancelled, mayContinue() else { return false }
            let part = Array(rest.prefix(Self.batch))
            rest = rest.dropFirst(part.count)
            let (keys, hasChanged) = keymap.keys(for: part)
            if hasChanged { sendKeymap() }
            let time = UInt32(truncatingIfNeeded: EventLoopActor.milliseconds)
            connection.send { wayland in
                for key in keys {
                    dictation_wayland_key(wayland, time, key, true)
                    dictation_wayland_key(wayland, time, key, false)
                }
            }
            guard await connection.synced() else { return false }
            if !rest.isEmpty { await EventLoopActor.pause(Self.pause) }
        }
        return true
    }

    private func sendKeymap() {
        var text = keymap.text
        let number = dictation_linux_memory_file("dictation keymap")
        guard number >= 0 else { return }
        let file = Descriptor(owning: number)
        // The compositor maps it, with the zero at its end.
        let size = text.withUTF8 { bytes in
            write(number, bytes.baseAddress, bytes.count) == bytes.count ? bytes.count + 1 : 0
        }
        guard size > 0, ftruncate(number, size) == 0 else { return }
        connection.send { dictation_wayland_keymap($0, file.rawValue, UInt32(size)) }
    }

    /// Stops typing.
    func close() async {
        typing?.cancel()
        await typing?.value
        connection.send { dictation_wayland_end_keyboard($0) }
    }
}

extension EventLoopActor {
    /// The time in milliseconds by the clock of input events.
    fileprivate static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    @EventLoopActor static func pause(_ duration: Duration) async {
        await withCheckedContinuation { continuation in
            _ = schedule(after: duration) { continuation.resume() }
        }
    }
}
