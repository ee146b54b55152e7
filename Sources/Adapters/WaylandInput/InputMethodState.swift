internal import Typing

/// The focus as the compositor reports it: the text field by input-method-unstable-v2, the window by
/// wlr-foreign-toplevel-management-unstable-v1.
struct InputMethodState {
    /// The number of ``WaylandEvent/done`` so far. The compositor ignores requests with another number.
    private(set) var serial: UInt32 = 0
    /// Another input method has the seat.
    private(set) var isUnavailable = false
    /// Changes whenever another text field has the focus, or none.
    private(set) var fieldVisit: UInt64 = 0
    /// Changes also with the window. Windows are reported before or after their fields.
    private(set) var visit: UInt64 = 0
    /// The visit of which the compositor has reported both window and field.
    private var settledVisit: UInt64 = 0
    private var settled: (field: UInt64, window: UInt32?) = (0, nil)
    private(set) var window: UInt32?
    /// Of each window.
    private var applications: [UInt32: String] = [:]
    /// Windows in which a text field had the focus.
    private var windowsWithFields: Set<UInt32> = []
    private var current = Field()
    private var pending = Field()
    /// The text fields that had the focus last in each window, the latest last.
    private var lastFields: [UInt32: [KnownField]] = [:]
    /// Of the text field with the focus.
    private var number: UInt64 = 0
    private var lastNumber: UInt64 = 0
    /// The fields that the text field with the focus may be, until its text is reported.
    private var candidates: [KnownField] = []
    /// Fields of an earlier connection, of windows that have other numbers now. They are recognised by their text alone.
    private var former: [KnownField] = []
    /// Maximum number of fields of a window that are kept.
    private static let fieldLimit = 8
    /// Longer names of applications are not kept.
    private static let nameLimit = 200

    init() {}

    /// Of a new connection. Numbers are not used again.
    init(after previous: InputMethodState) {
        fieldVisit = previous.fieldVisit
        visit = previous.visit
        settledVisit = previous.visit
        lastNumber = previous.lastNumber
        number = previous.lastNumber
        let known = previous.former + previous.lastFields.values.flatMap { $0 }
        former = Array(
            known.filter { $0.text?.isEmpty == false }.sorted { $0.number < $1.number }
                .suffix(2 * Self.fieldLimit))
    }

    /// A field of text-input-unstable-v3.
    private struct Field {
        var isActive = false
        var isNew = false
        var surrounding: SurroundingText?
        var hints: UInt32 = 0
        var purpose: UInt32 = 0
    }

    /// A text field that had the focus.
    private struct KnownField {
        var number: UInt64
        var hints: UInt32
        var purpose: UInt32
        var text: [Unicode.Scalar]?
    }

    private enum Content {
        static let hidden: UInt32 = 0x40
        static let sensitive: UInt32 = 0x80
        static let password: UInt32 = 8
        static let pin: UInt32 = 9
        static let terminal: UInt32 = 13
    }

    mutating func handle(_ event: WaylandEvent) {
        switch event {
        case .synced, .clipboard: break
        case .activated: pending = Field(isActive: true, isNew: true)
        case .deactivated: pending.isActive = false
        case .surrounding(let text, let cursor, let anchor):
            pending.surrounding = SurroundingText(text, byteCursor: cursor, byteAnchor: anchor)
        case .content(let hints, let purpose):
            pending.hints = hints
            pending.purpose = purpose
        case .done:
            serial &+= 1
            if pending.isNew || pending.isActive != current.isActive {
                visit += 1
                fieldVisit += 1
            }
            if pending.isActive, pending.isNew, let window { windowsWithFields.insert(window) }
            current = pending
            pending.isNew = false
            // Reported with each state, or not supported by the field.
            pending.surrounding = nil
            if isSettled { identify() }
        case .unavailable: isUnavailable = true
        case .window(let window, hasFocus: true):
            guard window != self.window else { break }
            self.window = window
            visit += 1
        case .window(let window, hasFocus: false): loseFocus(window)
        case .application(let window, let name):
            applications[window] = name.isEmpty || name.utf8.count > Self.nameLimit ? nil : name
        case .windowClosed(let window):
            applications[window] = nil
            windowsWithFields.remove(window)
            lastFields[window] = nil
            loseFocus(window)
        }
    }

    /// The compositor has reported window and field of this visit.
    mutating func settle(_ visit: UInt64) {
        guard visit == self.visit, !isSettled else { return }
        settledVisit = visit
        let isSameField = settled.field == fieldVisit && (settled.window == nil || settled.window == window)
        settled = (fieldVisit, window)
        guard current.isActive else { return }
        if let window { windowsWithFields.insert(window) }
        if !isSameField {
            lastNumber += 1
            number = lastNumber
            candidates = window.flatMap { lastFields[$0] } ?? []
        }
        identify()
    }

    private var isSettled: Bool { settledVisit == visit }

    /// The compositor does not identify fields. A field that gets the focus again is recognised by its window, its content
    /// type and its text; a terminal by its window. Two fields of one window with the same text cannot be told apart.
    private mutating func identify() {
        guard current.isActive, let window else { return }
        let alike = candidates.filter { $0.hints == current.hints && $0.purpose == current.purpose }
        if current.surrounding == nil, alike.contains(where: { $0.text != nil }) { return }
        candidates = []
        let text = current.surrounding?.text
        if text?.isEmpty == false || current.purpose == Content.terminal,
            let known = alike.last(where: { $0.text == text })
        {
            number = known.number
        } else if let text, !text.isEmpty,
            let known = former.last(where: {
                $0.hints == current.hints && $0.purpose == current.purpose && $0.text == text
            })
        {
            number = known.number
            former.removeAll { $0.number == number }
        }
        var known = lastFields[window] ?? []
        known.removeAll { $0.number == number }
        known.append(
            KnownField(number: number, hints: current.hints, purpose: current.purpose, text: text))
        lastFields[window] = Array(known.suffix(Self.fieldLimit))
    }

    private mutating func loseFocus(_ window: UInt32) {
        guard window == self.window else { return }
        self.window = nil
        visit += 1
    }

    private var application: String? { window.flatMap { applications[$0] } }

    /// The text field with the focus; nil until its window is known.
    var field: TextField? {
        guard current.isActive, isSettled else { return nil }
        let purpose: TextField.Purpose =
            switch current.purpose {
            case Content.password: .password
            case Content.pin: .pin
            case Content.terminal: .terminal
            default: .text
            }
        return TextField(
            id: "field \(number)", visit: fieldVisit, purpose: purpose,
            isSensitive: current.hints & (Content.hidden | Content.sensitive) != 0,
            surrounding: current.surrounding, abilities: [.liveText, .deletion, .identity],
            application: application)
    }

    /// The window with the focus, if the compositor has never reported a text field in it: a window of XWayland or of an old
    /// toolkit. In a window that has had a field, keys could be commands.
    var windowWithoutFields: TextField? {
        guard !current.isActive, let window, !windowsWithFields.contains(window) else { return nil }
        return TextField(
            id: "window \(window)", visit: visit, abilities: [.commitReports], application: application)
    }
}

extension SurroundingText {
    /// - Parameter byteCursor: in bytes of UTF-8. Within a character, it counts as the beginning of the next one.
    fileprivate init(_ text: String, byteCursor: UInt32, byteAnchor: UInt32) {
        var cursor = 0
        var bytes: UInt32 = 0
        for scalar in text.unicodeScalars where bytes < byteCursor {
            bytes += UInt32(UTF8.width(scalar))
            cursor += 1
        }
        self.init(text, cursor: cursor, isSelecting: byteCursor != byteAnchor)
    }
}
