import DictationCore
import EventLoop
import Recognition

/// The part of a Start that takes up to seconds. It follows the check of permission, and runs on a thread of its own.
struct StartPreparation: Sendable {
    let start: StartOptions
    /// What the session's lexicon is made of; nil where it has one or needs none.
    let plan: FormattingPlan?

    var isNeeded: Bool {
        plan != nil || start.transcription.grammar != nil || !start.transcription.vocabulary.isEmpty
    }

    /// The options with the lexicon and all pronunciations, or why a session cannot have this grammar or vocabulary.
    func run(with engines: EngineCatalog) async -> Result<StartOptions, Refusal> {
        do {
            return try await OwnThread.run("preparation") {
                var start = start
                if let plan { start.format(by: plan, with: plan.makeLexicon()) }
                do throws(RecognitionError) {
                    start.transcription = try engines.examine(start.transcription)
                    return .success(start)
                } catch {
                    return .failure(Refusal(error))
                }
            }
        } catch {
            return .failure(
                Refusal(.limitExceeded, "No thread can be had to prepare the session: \(error)"))
        }
    }
}

extension StartOptions {
    mutating func format(by plan: FormattingPlan, with lexicon: Lexicon) {
        formatting = plan.formatting(with: lexicon)
        transcription.spokenMarks = lexicon.spokenMarks
    }
}
