import DictationClient

extension DictationSession {
    /// Passes on the events of a session that reads a file, until its end.
    /// - Returns: the first error. The session continues after it, and text may follow. `cancelled` if the session ended
    ///   before the end of the file.
    func read(_ handle: (DictationEvent) throws -> Void) async throws -> DictationError? {
        var failure: DictationError?
        do {
            for try await event in events {
                switch event {
                case .failed(let error) where failure == nil: failure = error
                // The error says why.
                case .stopped(.error) where failure != nil: break
                case .stopped(let reason) where reason != .endOfInput: failure = failure ?? endedEarly(reason)
                default: try handle(event)
                }
            }
        } catch let error as DictationError {
            // A client has one session at a time.
            try? await stop()
            throw error
        }
        return failure
    }

    private func endedEarly(_ reason: StopReason) -> DictationError {
        let cause = reason == .stopped ? "another program stopped it" : reason.phrase
        return DictationError(
            .cancelled, message: "The session ended before the end of the file: \(cause). Try again.")
    }
}
