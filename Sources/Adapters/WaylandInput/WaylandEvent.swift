internal import CWaylandInput

/// An event of the compositor.
enum WaylandEvent: Hashable, Sendable {
    case synced
    /// A text field has the focus. The events until ``done`` describe it.
    case activated
    case deactivated
    /// With the cursor and the other end of the selection, in bytes.
    case surrounding(String, cursor: UInt32, anchor: UInt32)
    /// In the numbers of text-input-unstable-v3.
    case content(hints: UInt32, purpose: UInt32)
    case done
    case unavailable
    case window(UInt32, hasFocus: Bool)
    case windowClosed(UInt32)

    init?(_ event: dictation_wayland_event) {
        switch event.kind {
        case DICTATION_WAYLAND_SYNCED: self = .synced
        case DICTATION_WAYLAND_ACTIVATED: self = .activated
        case DICTATION_WAYLAND_DEACTIVATED: self = .deactivated
        case DICTATION_WAYLAND_SURROUNDING:
            let text = event.text.map { String(cString: $0) } ?? ""
            self = .surrounding(text, cursor: event.first, anchor: event.second)
        case DICTATION_WAYLAND_CONTENT: self = .content(hints: event.first, purpose: event.second)
        case DICTATION_WAYLAND_DONE: self = .done
        case DICTATION_WAYLAND_UNAVAILABLE: self = .unavailable
        case DICTATION_WAYLAND_WINDOW: self = .window(event.first, hasFocus: event.second != 0)
        case DICTATION_WAYLAND_WINDOW_CLOSED: self = .windowClosed(event.first)
        default: return nil
        }
    }
}
