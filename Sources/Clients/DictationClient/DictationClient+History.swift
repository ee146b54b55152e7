import DBus
import DictationInterface

// The user's last texts. Refused to programs in a sandbox, except ``keepTexts(_:)``.

extension DictationClient {
    /// The last texts, the newest first, and how long texts are kept: zero if they are not.
    /// - Parameters:
    ///   - limit: 1 to 200.
    ///   - id: only those before it; nil: all.
    public func history(
        limit: UInt32 = 50, before id: UInt64? = nil
    ) async throws(DictationError) -> (texts: [HistoryText], lifetime: Duration) {
        var options = [HistoryOption.limit: Value(limit)]
        options[HistoryOption.before] = id.map { Value($0) }
        let reply = try await calling { try await historyProxy.list(options: options) }
        return (reply.entries.compactMap(HistoryText.init), .seconds(reply.lifetime))
    }

    /// One text, whole.
    public func historyText(_ id: UInt64) async throws(DictationError) -> HistoryText {
        try text(try await calling { try await historyProxy.get(id: id) })
    }

    /// Erases these texts and their sound.
    /// - Returns: how many there were.
    @discardableResult
    public func forgetHistory(_ ids: [UInt64]) async throws(DictationError) -> Int {
        Int(try await calling { try await historyProxy.forget(ids: ids) })
    }

    /// Erases all texts and all sound.
    /// - Returns: how many there were.
    @discardableResult
    public func clearHistory() async throws(DictationError) -> Int {
        Int(try await calling { try await historyProxy.clear() })
    }

    /// Recognises the sound of a text again, and replaces the text by the result. Nil uses the user's settings.
    public func recogniseAgain(
        _ id: UInt64, engine: String? = nil, language: String? = nil,
        formatting: StartOptions.Formatting? = nil
    ) async throws(DictationError) -> HistoryText {
        var options: [BusText: Value] = [:]
        options[AgainOption.engine] = engine.map { Value($0) }
        options[AgainOption.language] = language.map { Value($0) }
        options[AgainOption.formatting] = formatting.map { Value($0.rawValue) }
        return try text(
            try await calling {
                try await historyProxy.again(
                    id: id, options: options, timeout: DictationInterface.commitTimeout)
            })
    }

    /// Whether the history keeps the texts of this program's session, from the current block on.
    public func keepTexts(_ keeps: Bool) async throws(DictationError) {
        try await calling { try await historyProxy.keep(kept: keeps) }
    }

    func keepTexts(_ keeps: Bool, session: UInt64) async throws(DictationError) {
        try check(session)
        try await keepTexts(keeps)
    }

    private func text(_ details: [BusText: Value]) throws(DictationError) -> HistoryText {
        guard let text = HistoryText(details) else {
            throw DictationError(.other, message: "The service's text of the history has no number.")
        }
        return text
    }

    private var historyProxy: DictationHistoryProxy {
        DictationHistoryProxy(
            connection: proxy.connection, destination: proxy.destination, path: proxy.path)
    }
}
