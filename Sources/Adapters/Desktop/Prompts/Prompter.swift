public import DictationCore
public import Prompts

/// Asks the user a question.
public protocol Prompter: Sendable {
    /// Asks the user and waits for the answer without a timeout. A caller that gives up cancels the task, which
    /// withdraws the question.
    /// - Returns: the user's answer; nil if the user did not decide or the question was withdrawn.
    /// - Throws: if the user could not be asked. That is never an answer.
    func ask(_ prompt: Prompt) async throws(DesktopError) -> Decision?
}
