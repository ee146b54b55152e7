import DictationTestKit

extension TestWindow {
    /// Puts a text into the first field of a form, with the cursor after it, as existing text.
    func fill(_ text: String, on desk: ShellDesk) async throws {
        try await command("focus 1")
        try await command("set 0 \(text)")
        try await command("focus 0")
        try await command("caret 0 \(text.count)")
        try await eventually("the text is known") {
            try await desk.evaluate("global.extension()._dictation._fields.current.text") == "\"\(text)\""
        }
    }
}
