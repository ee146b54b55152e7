import DictationClient
import DictationInterface
import Localization

/// A session of another program of this user. Only that program controls it. The program that types into windows takes
/// commands of others.
enum SessionOfOthers {
    /// The state of the user's session that asked for the microphone last; nil without a session.
    static func state(_ client: DictationClient) async -> SessionState? {
        // Without an answer, none is known.
        guard let state = try? await client.userState(), state != .idle else { return nil }
        return state
    }

    /// Makes a call on the session that this program may control; without one, on the program that types into windows.
    static func control(
        _ client: DictationClient, _ call: (DictationClient) async throws(DictationError) -> Void,
        typing: (DictationClient) async throws(DictationError) -> Void
    ) async throws(DictationError) {
        do {
            try await explain(client, call)
        } catch {
            guard error.code == .notRunning else { throw error }
            do throws(DictationError) {
                try await typing(client)
            } catch let other {
                // Without a dictation into windows, the first error says what else there is.
                throw other.code == .notRunning ? error : other
            }
        }
    }

    /// Makes a call on the session that this program may control. The error says what else there is.
    @discardableResult
    static func explain<Result>(
        _ client: DictationClient, _ call: (DictationClient) async throws(DictationError) -> Result
    ) async throws(DictationError) -> Result {
        do {
            return try await call(client)
        } catch {
            guard error.code == .notRunning else { throw error }
            throw DictationError(.notRunning, name: error.name, message: message(await state(client)))
        }
    }

    private static func message(_ state: SessionState?) -> String {
        guard let state else {
            return translated("There is no session. “dictation-cli start” starts one in the background.")
        }
        return
            translated(
                """
                Another program dictates (\(state.phrase.lowercased())), such as “dictation-cli listen” or “type”, and \
                only that program controls its session. “dictation-cli stop --all” ends it.
                """)
    }
}
