import DBus
import Desktop
import DictationBus
import DictationCore
import DictationInterface
import Prompts

/// Asks the user with the dialog of the user's desktop, which the worker opens.
struct WorkerPrompter: Prompter {
    let worker: DictationWorkerProxy

    func ask(_ prompt: Prompt) async throws(DesktopError) -> Decision? {
        // Only the worker gets the number.
        let cookie = UInt64.random(in: .min ... .max)
        do {
            let word = try await worker.ask(
                cookie: cookie, client: prompt.client.details,
                resources: prompt.resources.map { BusText($0.rawValue) }, timeout: nil)
            guard !word.isEmpty else { return nil }
            guard let decision = Decision(BusText(word)) else {
                throw DBusError.invalidArgs("its reply is not a decision")
            }
            return decision
        } catch is CancellationError {
            // In a task of its own, because this one is cancelled.
            await Task { try? await worker.cancelQuestion(cookie: cookie, timeout: .seconds(5)) }.value
            return nil
        } catch {
            throw DesktopError(.noPrompter, error, of: "The desktop")
        }
    }
}
