import DictationClient
import Localization

/// The output of `listen`.
protocol ListenView: AnyObject {
    func show(_ event: DictationEvent) throws(OutputError)
    /// A message of this program.
    func showNotice(_ message: String) throws(OutputError)
    func setSession(_ number: UInt64)
    func setMicrophone(_ route: Route?) throws(OutputError)
    /// - Parameter text: its text, as far as the service had recognised it; nil if unknown.
    func discardText(of block: UInt64, _ text: String?) throws(OutputError)
    /// Keeps the text that was discarded last.
    func restoreDiscardedText() throws(OutputError)
    /// The session has ended with text that was not committed.
    func keepText() throws(OutputError)
    /// The session has ended, and the user of this program did not end it.
    func end(because reason: StopReason) throws(OutputError)
    /// The last block is being committed.
    func setEnding() throws(OutputError)
    /// The terminal's size has changed, or this program is in the foreground again.
    func redraw() throws(OutputError)
    /// This program goes to the background.
    func close()
}

/// Rewrites the state and the text so far in place; final text stays above.
final class LiveView: ListenView {
    private var screen = ListenScreen()
    private var region = LiveRegion()
    private var drawn: [StyledLine] = []
    private let output = Output.standardOutput
    private let inColour = Terminal.hasColour

    init(hasKeys: Bool, hasMeter: Bool) {
        screen.hasKeys = hasKeys
        if hasMeter { screen.meter = LevelBar() }
    }

    func show(_ event: DictationEvent) throws(OutputError) {
        try draw(keeping: screen.apply(event))
    }

    func showNotice(_ message: String) throws(OutputError) {
        screen.showNotice(message)
        try draw()
    }

    func setSession(_ number: UInt64) {}

    func setMicrophone(_ route: Route?) throws(OutputError) {
        screen.setMicrophone(route)
        try draw()
    }

    func discardText(of block: UInt64, _ text: String?) throws(OutputError) {
        screen.discardText(of: block, text)
        try draw()
    }

    func restoreDiscardedText() throws(OutputError) {
        guard let text = screen.takeDiscardedText() else { return }
        try draw(keeping: text)
    }

    func keepText() throws(OutputError) {
        try draw(keeping: screen.takeText())
    }

    func end(because reason: StopReason) throws(OutputError) {
        try keepText()
        close()
        // The error before it says what to change.
        if reason == .error, let notice = screen.notice { Output.standardError.writeNotice(notice) }
        if let notice = reason.notice { Output.standardError.writeNotice(notice) }
    }

    func setEnding() throws(OutputError) {
        screen.isEnding = true
        try draw()
    }

    func redraw() throws(OutputError) { try draw(always: true) }

    func close() {
        try? output.write(region.erase(columns: Terminal.size.columns))
    }

    private func draw(keeping text: String? = nil, always: Bool = false) throws(OutputError) {
        let size = Terminal.size
        let lines = screen.lines(columns: size.columns, rows: size.rows - 1)
        guard lines != drawn || text != nil || always else { return }
        drawn = lines
        do {
            try output.write(
                region.draw(
                    lines.map { $0.rendered(inColour: inColour) }, widths: lines.map(\.width),
                    keeping: text.map { [DisplayText.harmlessLines($0)] } ?? [], columns: size.columns))
        } catch {
            // The terminal was closed.
            if let text { try? Output.standardError.text(text) }
            throw error
        }
    }
}

/// Writes final text to standard output, one line each, and messages to standard error.
final class PlainView: ListenView {
    private var screen = ListenScreen()

    func show(_ event: DictationEvent) throws(OutputError) {
        if let text = screen.apply(event) { try Output.standardOutput.text(text) }
        if let notice = event.notice { Output.standardError.writeNotice(notice) }
    }

    func showNotice(_ message: String) { Output.standardError.writeNotice(message) }
    func setSession(_ number: UInt64) {}
    func setMicrophone(_ route: Route?) {}

    func discardText(of block: UInt64, _ text: String?) {
        if screen.discardText(of: block, text), let notice = screen.notice {
            Output.standardError.writeNotice(notice)
        }
    }

    func restoreDiscardedText() throws(OutputError) {
        if let text = screen.takeDiscardedText() { try Output.standardOutput.text(text) }
    }

    func keepText() throws(OutputError) {
        if let text = screen.takeText() { try Output.standardOutput.text(text) }
    }

    func end(because reason: StopReason) throws(OutputError) {
        try keepText()
        // Other reasons were told with the event.
        if reason == .stopped, let notice = reason.notice { Output.standardError.writeNotice(notice) }
    }

    func setEnding() {}
    func redraw() {}
    func close() {}
}

/// Writes every event to standard output, as a line of JSON.
final class JSONView: ListenView {
    private var session: UInt64?

    func setSession(_ number: UInt64) { session = number }

    func show(_ event: DictationEvent) throws(OutputError) {
        try Output.standardOutput.line(SessionEvent(session: session, event: event).json.text)
    }

    func showNotice(_ message: String) { Output.standardError.writeNotice(message) }
    func setMicrophone(_ route: Route?) {}
    func discardText(of block: UInt64, _ text: String?) {}
    func restoreDiscardedText() {}
    func keepText() {}
    func end(because reason: StopReason) {}
    func setEnding() {}
    func redraw() {}
    func close() {}
}

extension StopReason {
    /// For the user of a program that did not end the session; nil if the session is complete.
    fileprivate var notice: String? {
        switch self {
        case .endOfInput: nil
        case .stopped: translated("Another program has ended the session.")
        default: DictationEvent.stopped(self).notice
        }
    }
}
