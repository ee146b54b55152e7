import Desktop
import DictationBus
import DictationCore
import Logging
import Prompts

/// Asks the user with the first prompter that works: agents, then the desktop's own dialog, then fallback agents.
struct PromptChain: Sendable {
    let agents: AgentRegistry
    let logger: Logger
    /// The worker of a user, which has the desktop's dialog.
    let worker: @Sendable (UInt32) async -> WorkerLink?

    /// Tries one after the other until one could ask.
    func ask(_ question: Question) async -> PermissionManager.Answer {
        let prompt = Prompt(client: question.identity, resources: question.resources)
        for prompter in await agents.prompters(for: question.identity, fallback: false) {
            if let answer = await answer(prompt, prompter, "agent \(prompter.program)") { return answer }
        }
        if let prompter = await worker(question.identity.uid)?.prompter,
            let answer = await answer(prompt, prompter, "portal")
        {
            return answer
        }
        for prompter in await agents.prompters(for: question.identity, fallback: true) {
            if let answer = await answer(prompt, prompter, "agent \(prompter.program)") { return answer }
        }
        return .init(decision: nil, prompter: "")
    }

    /// Nil if this one could not ask.
    private func answer(
        _ prompt: Prompt, _ prompter: any Prompter, _ name: String
    ) async -> PermissionManager.Answer? {
        if Task.isCancelled { return .init(decision: nil, prompter: name) }
        do throws(DesktopError) {
            return .init(decision: try await prompter.ask(prompt), prompter: name)
        } catch {
            logger.info("\(error)")
            return nil
        }
    }
}
