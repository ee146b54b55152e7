internal import CWaylandInput
internal import EventLoop
internal import Glibc
internal import TypingRoutes

/// Pastes into the window with the focus: both selections get the text, then Shift+Insert is pressed, which pastes in
/// terminals (the primary selection) as in other windows (the clipboard). Afterwards the selections are restored, unless
/// another program has taken them meanwhile. If one of them cannot be restored, both are left alone and nothing is pasted:
/// which of them a window pastes is unknown.
///
/// It speaks the protocol itself instead of running `wl-copy`, because that has one format at a time, cannot mark text as a
/// secret in Debian 12, and does not report who reads.
@EventLoopActor
final class PasteKeyboard: WindowTyping {
    private let connection: WaylandConnection
    private let clipboard: ClipboardAccess
    private let keepers: ClipboardKeepers
    private var lastPaste = 0

    /// How long a window may take to fetch the text.
    private static let fetchTimeout = Duration.seconds(2)
    /// A history of the clipboard may fetch the text before the window does.
    private static let fetchPause = Duration.milliseconds(150)
    private static let keymap = """
        xkb_keymap {
        xkb_keycodes { include "evdev" };
        xkb_types { include "complete" };
        xkb_compatibility { include "complete" };
        xkb_symbols { include "pc+us" };
        };

        """
    /// As evdev numbers them.
    private static let (shift, insert): (UInt32, UInt32) = (42, 110)

    init(
        on connection: WaylandConnection, environment: [String: String], keeper: [String],
        readTimeout: Duration
    ) {
        self.connection = connection
        clipboard = ClipboardAccess(on: connection, readTimeout: readTimeout)
        keepers = ClipboardKeepers(command: keeper, environment: environment)
        connection.send { dictation_wayland_begin_keyboard($0) }
        connection.sendKeymap(Self.keymap)
    }

    func handle(_ event: ClipboardEvent) { clipboard.handle(event) }

    /// - Returns: false if a selection cannot be restored, or the window has lost the focus or does not fetch the text.
    func type(_ text: String, while mayContinue: @escaping @EventLoopActor () -> Bool) async -> Bool {
        // The latest change of a selection may not have been read yet.
        guard await connection.synced() else { return false }
        var saved: [ClipboardSelection: [ClipboardPart]] = [:]
        for selection in ClipboardSelection.allCases {
            guard let content = await clipboard.content(of: selection) else { return false }
            saved[selection] = content
        }
        guard !Task.isCancelled, mayContinue() else { return false }
        lastPaste += 1
        let marker = "application/x-dictation-\(getpid())-\(lastPaste)"
        let parts =
            (ClipboardType.text + [marker]).map { ClipboardPart(type: $0, bytes: Array(text.utf8)) }
            + [ClipboardPart(type: ClipboardType.secret, bytes: Array("secret".utf8))]
        for selection in ClipboardSelection.allCases { clipboard.set(selection, to: parts) }
        let isPasted = await pressPaste(while: mayContinue)
        await restore(ClipboardContent(saved), marker: marker)
        return isPasted
    }

    private func pressPaste(while mayContinue: @escaping @EventLoopActor () -> Bool) async -> Bool {
        guard await connection.synced(), mayContinue(), clipboard.ownsAll else { return false }
        let before = clipboard.requests
        let time = UInt32(truncatingIfNeeded: EventLoopActor.milliseconds)
        connection.send { [clipboard] wayland in
            guard mayContinue(), clipboard.ownsAll else { return }
            dictation_wayland_key(wayland, time, Self.shift, true)
            dictation_wayland_modifiers(wayland, 1)
            dictation_wayland_key(wayland, time, Self.insert, true)
            dictation_wayland_key(wayland, time, Self.insert, false)
            dictation_wayland_key(wayland, time, Self.shift, false)
            dictation_wayland_modifiers(wayland, 0)
        }
        let isFetched = await clipboard.changes.wait(within: Self.fetchTimeout) { [clipboard] in
            clipboard.requests > before && !clipboard.isBeingRead
        }
        await EventLoopActor.pause(Self.fetchPause)
        // Another window may have pasted it.
        return isFetched && mayContinue()
    }

    /// Another process takes the selections back, because they end with the process that owns them.
    private func restore(_ saved: ClipboardContent, marker: String) async {
        let content = ClipboardContent(
            saved.parts.filter { clipboard.isOwn($0.key) && !$0.value.isEmpty })
        let isKept = content.parts.isEmpty ? true : await keepers.keep(content, marker: marker)
        for (selection, parts) in saved.parts where clipboard.isOwn(selection) {
            // Without that process they last as long as this one.
            if isKept || parts.isEmpty {
                clipboard.giveUp(selection)
            } else {
                clipboard.set(selection, to: parts)
            }
        }
        _ = await connection.synced()
    }

    func close() { connection.send { dictation_wayland_end_keyboard($0) } }
}
