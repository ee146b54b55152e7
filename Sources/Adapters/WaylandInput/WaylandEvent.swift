internal import CWaylandInput
internal import EventLoop

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
    /// The desktop id of its application.
    case application(UInt32, String)
    case windowClosed(UInt32)
    case clipboard(ClipboardEvent)

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
        case DICTATION_WAYLAND_APPLICATION:
            self = .application(event.first, event.text.map { String(cString: $0) } ?? "")
        case DICTATION_WAYLAND_WINDOW_CLOSED: self = .windowClosed(event.first)
        default:
            guard let event = ClipboardEvent(event) else { return nil }
            self = .clipboard(event)
        }
    }
}

/// An event of the selections.
enum ClipboardEvent: Hashable, Sendable {
    case offer(UInt32)
    case offerType(UInt32, String)
    /// The offer of a selection; 0 if it is empty.
    case selection(ClipboardSelection, offer: UInt32)
    /// A program wants our content of a selection in a format.
    case send(ClipboardSelection, String, Descriptor)
    /// A selection is no longer ours.
    case cancelled(ClipboardSelection)

    init?(_ event: dictation_wayland_event) {
        let text = event.text.map { String(cString: $0) } ?? ""
        switch event.kind {
        case DICTATION_WAYLAND_OFFER: self = .offer(event.first)
        case DICTATION_WAYLAND_OFFER_TYPE: self = .offerType(event.first, text)
        case DICTATION_WAYLAND_SELECTION:
            self = .selection(ClipboardSelection(event.first), offer: event.second)
        case DICTATION_WAYLAND_SEND:
            self = .send(ClipboardSelection(event.first), text, Descriptor(owning: event.descriptor))
        case DICTATION_WAYLAND_CANCELLED: self = .cancelled(ClipboardSelection(event.first))
        default: return nil
        }
    }
}

/// A selection of the desktop.
public enum ClipboardSelection: String, Hashable, Sendable, CaseIterable {
    /// What was copied.
    case clipboard
    /// What was selected last.
    case primary

    init(_ number: UInt32) {
        self = number == DICTATION_WAYLAND_PRIMARY.rawValue ? .primary : .clipboard
    }

    var number: dictation_wayland_selection {
        self == .primary ? DICTATION_WAYLAND_PRIMARY : DICTATION_WAYLAND_CLIPBOARD
    }
}
