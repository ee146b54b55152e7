import DictationClient

extension DictationClient {
    /// Starts a session after the service has ended, as soon as there is a service. The bus starts it when it is called; if
    /// the bus cannot, it may be started in another way. Cancelling the task ends the attempts.
    func startAgain(_ options: StartOptions) async throws(DictationError) -> DictationSession {
        var delay = Duration.milliseconds(250)
        while true {
            do throws(DictationError) {
                return try await start(options)
            } catch {
                let passes = [.serviceUnavailable, .serviceVanished, .timeout].contains(error.code)
                guard passes, !Task.isCancelled else { throw error }
            }
            // Fails only if the task is cancelled; the next attempt is the last then.
            try? await Task.sleep(for: delay)
            delay = min(delay * 2, .seconds(5))
        }
    }
}
