import DBus
import Desktop
import DictationBus
import DictationCore
import DictationInterface
import Localization
import Prompts

/// Asks the user through a registered agent.
struct AgentPrompter: Prompter {
    let agent: RegisteredAgent
    let agents: AgentRegistry

    /// For the audit log.
    var program: String { agent.client.identity.id.rawValue }

    func ask(_ prompt: Prompt) async throws(DesktopError) -> Decision? {
        // Only the agent gets the number, and it is valid for this question.
        let cookie = UInt64.random(in: .min ... .max)
        do {
            let word = try await agent.questions.ask(cookie) {
                try await agents.call(agent) { proxy in
                    try await proxy.requestPermission(
                        cookie: cookie, client: prompt.client.details,
                        resources: prompt.resources.map { BusText($0.rawValue) },
                        details: prompt.details, timeout: nil)
                }
            }
            guard !word.isEmpty else { return nil }
            guard let decision = Decision(BusText(word)) else {
                throw DBusError.invalidArgs("its reply is not a decision")
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
        // In a task of its own, because the task that asks is cancelled. An agent that is gone has nothing to withdraw.
        // The bus keeps no slot for a reply that is not expected.
        let proxy = DictationAgentProxy(
            connection: agent.proxy.connection, destination: agent.name, path: agent.path,
            flags: .noReplyExpected)
        await Task { try? await proxy.cancel(cookie: cookie) }.value
    }
}

extension Prompt {
    /// The texts in English: the agent knows the user's language.
    fileprivate var details: [BusText: Value] {
        var details: [BusText: Value] = [
            PromptKey.title: .string(BusText(title.english)),
            PromptKey.subtitle: .string(BusText(subtitle.english)),
            PromptKey.body: .string(BusText(body.map(\.english).joined(separator: " "))),
        ]
        details[PromptKey.interpreter] = client.interpreter.map { .string(BusText($0)) }
        return details
    }
}
