import DictationTestKit

extension TestWindow {
    /// Moves the focus to another field when no live text is on its way to the window. The shell sends live text again after
    /// every message of the window, such as the new position of the cursor, and a window shows it in the field that has the
    /// focus by then, until the shell takes it back.
    func leave(for field: Int, on desk: ShellDesk) async throws {
        for _ in 0..<2 {
            try await command("settle")
            try await desk.settle()
        }
        try await command("settle")
        let visit = try await desk.dictation("_fields.current.visit")
        try await command("focus \(field)")
        try await eventually("the shell knows that the field is left") {
            try await desk.dictation("_fields.current?.visit") != visit
        }
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
                "(({text, cursor}) => `${text} ${cursor}`)(global.extension()._dictation._fields.current)"
            )
                == "\"\(text) \(text.count)\""
        }
    }
}
