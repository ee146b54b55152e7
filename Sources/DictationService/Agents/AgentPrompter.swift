import DBus
import Desktop
import DictationCore
import DictationInterface

/// Asks the user through a registered agent.
struct AgentPrompter: Prompter {
    let proxy: DictationAgentProxy
    /// For the audit trail.
    let program: String
    let questions: AgentQuestions

    func ask(_ prompt: Prompt) async throws(DesktopError) -> Decision? {
        // Nobody but the agent is told the number, and it is good for this question alone.
        let cookie = UInt64.random(in: .min ... .max)
        do {
            let word = try await questions.ask(cookie) {
                try await proxy.requestPermission(
                    cookie: cookie, client: prompt.client.details,
                    resources: prompt.resources.map { BusText($0.rawValue) },
                    details: [
                        PromptKey.title: .string(prompt.title), PromptKey.subtitle: .string(prompt.subtitle),
                        PromptKey.body: .string(prompt.body),
                    ], timeout: nil)
            }
            guard !word.isEmpty else { return nil }
            guard let decision = Decision(BusText(word)) else {
                throw DBusError.invalidArgs("it did not answer with a decision")
            }
            return decision
        } catch is CancellationError {
            await withdraw(cookie)
            guard Task.isCancelled else {
                throw DesktopError(.noPrompter, DBusError.failed("it is no longer registered"), of: program)
            }
            return nil
        } catch {
            throw DesktopError(.noPrompter, error, of: program)
        }
    }

    private func withdraw(_ cookie: UInt64) async {
        // The task that asks is cancelled; this one is not. An agent that is gone has nothing to withdraw.
        await Task { try? await proxy.cancel(cookie: cookie, timeout: .seconds(5)) }.value
    }
}
