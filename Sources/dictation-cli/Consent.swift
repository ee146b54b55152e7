import DictationClient

/// Gets this program its permission before it dictates.
enum Consent {
    /// Asks the user where nothing has been decided: by the desktop's dialog, else on the terminal. What is refused
    /// then is told by the call that needs it.
    static func seek(
        for resources: [Resource] = [.microphone, .speech], _ client: DictationClient
    ) async throws {
        let permission = try await client.checkPermission()
        guard resources.contains(where: { permission[$0] == .notDetermined }) else { return }
        if Terminal.hasKeyboard {
            let prompter = try TerminalPrompter()
            do {
                try await client.registerAgent([.itself, .fallback]) { await prompter.ask($0) }
            } catch {
                // The desktop may have a dialog all the same.
                Output.standardError.note("This terminal cannot be used to ask: \(error)")
            }
        }
        _ = try await client.requestPermission(for: resources)
    }
}
