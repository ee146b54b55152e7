import DictationCore
import EventLoop
import Recognition

/// The part of a Start that takes up to seconds, on its own thread. It follows the check of permission.
struct StartPreparation: Sendable {
    let start: StartOptions
    /// The inputs of the session's lexicon; nil if none has to be built.
    let plan: FormattingPlan?

    var isNeeded: Bool {
        plan != nil || start.transcription.grammar != nil || !start.transcription.vocabulary.isEmpty
    }

    /// The options with lexicon and pronunciations, or why the grammar or the vocabulary is refused.
    func run(with engines: EngineCatalog) async -> Result<StartOptions, Refusal> {
        do {
            return try await OwnThread.run("preparation") {
                var start = start
                if let plan { start.format(by: plan, with: plan.makeLexicons()) }
                do throws(RecognitionError) {
                    start.transcription = try engines.examine(start.transcription)
                    return .success(start)
                } catch {
                    return .failure(Refusal(error))
                }
            }
        } catch {
            return .failure(
                Refusal(.limitExceeded, "No thread could be started to prepare the session: \(error)"))
        }
    }
}

extension StartOptions {
    mutating func format(by plan: FormattingPlan, with lexicons: [Lexicon]) {
        formatting = plan.formatting(with: lexicons)
        transcription.spokenMarks = formatting?.lexicon.spokenMarks ?? []
    }
}
