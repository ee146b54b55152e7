import DictationTestKit
import Foundation

/// A window with text fields, and the events of the fields.
final class TestWindow: Sendable {
    let process: ChildProcess
    let title: String

    init(process: ChildProcess, title: String) {
        self.process = process
        self.title = title
    }

    struct Line: Decodable {
        var field: Int?
        var text: String?
        var preedit: String?
        var active: Bool?
        var done: String?
        /// Microseconds since 1970.
        var t: Int
    }

    var lines: [Line] {
        let decoder = JSONDecoder()
        return process.text(of: .output).split(separator: "\n").compactMap { line in
            try? decoder.decode(Line.self, from: Data(line.utf8))
        }
    }

    /// The text of a field.
    func text(of field: Int = 0) -> String {
        lines.last { $0.field == field && $0.text != nil }?.text ?? ""
    }

    /// The live text in a field.
    func preedit(of field: Int = 0) -> String {
        lines.last { $0.field == field && $0.preedit != nil }?.preedit ?? ""
    }

    /// Every live text and text of a field so far.
    func everything(in field: Int = 0) -> [String] {
        lines.filter { $0.field == field }.compactMap { $0.text ?? $0.preedit }
    }

    func text(_ wanted: String, of field: Int = 0) async throws {
        try await wait("the text \(wanted)", of: field) { text(of: field) == wanted }
    }

    func preedit(_ wanted: String, of field: Int = 0) async throws {
        try await wait("the live text \(wanted)", of: field) { preedit(of: field) == wanted }
    }

    private func wait(_ what: String, of field: Int, _ condition: () -> Bool) async throws {
        do {
            try await eventually(what) { condition() }
        } catch {
            throw TestFailure("\(error); there was: \(everything(in: field).suffix(8))")
        }
    }

    /// Makes the window do something, and waits until it is done.
    func command(_ command: String) async throws {
        let before = lines.count { $0.done == command }
        try process.write(command + "\n")
        try await eventually(command) { lines.count { $0.done == command } > before }
    }

    /// Puts a text that ends in a full stop into the first field of a form, with the cursor after it, as existing text. The
    /// last character is typed: GTK 4.8 tells where the cursor is only after input.
    func fill(_ text: String, on desk: ShellDesk) async throws {
        try await command("focus 1")
        try await command("set 0 \(text.dropLast())")
        try await command("focus 0")
        try await command("caret 0 \(text.count - 1)")
        try await desk.press("period")
        try await self.text(text)
        try await eventually("the text is known") {
            try await desk.evaluate(
                "(({text, cursor}) => `${text} ${cursor}`)(global.extension()._dictation._fields.current)")
                == "\"\(text) \(text.count)\""
        }
    }

    func close() async throws {
        process.terminate()
        _ = try await process.exitStatus()
    }
}
