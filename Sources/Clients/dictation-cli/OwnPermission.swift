import DictationClient
import Localization

/// Requests permission for this program before it dictates.
enum OwnPermission {
    /// Asks the user if there is no decision: with the desktop's dialog, else on the terminal. If they refuse, the call
    /// that needs the permission reports it.
    static func request(
        for resources: [Resource] = [.microphone, .speech], _ client: DictationClient
    ) async throws {
        let permission = try await client.checkPermission()
        guard resources.contains(where: { permission[$0] == .notDetermined }) else { return }
        var isAgent = false
        if Terminal.hasKeyboard {
            let prompter = try TerminalPrompter()
            do {
                try await client.registerAgent([.itself, .fallback]) { try await prompter.ask($0) }
                isAgent = true
            } catch {
                // The desktop may have a dialog anyway.
                Output.standardError.writeNotice(translated("This terminal cannot be used to ask: \(error)"))
            }
        }
        let status = try await client.requestPermission(for: resources)
        // From now on the keyboard controls the dictation.
        if isAgent { try await client.unregisterAgent() }
        guard !status.values.contains(.notDetermined) else {
            throw DictationError(
                .permissionRequired,
                message:
                    translated(
                        """
                        There is no decision whether this program may dictate: run it on a terminal and answer, or \
                        allow it with 'dictation-cli permissions grant'.
                        """))
        }
    }
}
