public import DictationCore

/// Somebody who can ask the user.
public protocol Prompter: Sendable {
    /// Asks the user and waits for the answer. There is no limit to that; a caller that gives up cancels the task,
    /// and the question is withdrawn.
    /// - Returns: What the user said; nil where they did not decide: they looked away, or it was withdrawn.
    /// - Throws: where the user could not be asked. That is never an answer.
    func ask(_ prompt: Prompt) async throws(DesktopError) -> Decision?
}
