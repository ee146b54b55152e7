import DBus
import DictationBus
import DictationConfiguration
import DictationCore
import DictationInterface
import EventLoop
import Recognition

/// The part of a Start that takes up to seconds, on its own thread. It follows the check of permission.
struct StartPreparation: Sendable {
    let start: StartOptions
    /// The inputs of the session's lexicon; nil if none has to be built.
    let plan: FormattingPlan?

    var isNeeded: Bool { plan != nil || hasOwnWords }

    /// The call has a grammar or a vocabulary.
    var hasOwnWords: Bool {
        start.transcription.grammar != nil || !start.transcription.vocabulary.isEmpty
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

extension Worker {
    /// The options of a session, if its client may start it, and what remains to be prepared.
    /// - Parameter entry: of the history, which is recognised again; nil for a Start.
    func preparation(
        _ options: [BusText: Value], from client: Client, as entry: HistoryEntry? = nil
    ) throws(Refusal) -> StartPreparation {
        let application = try ApplicationChoice(options, from: client, as: entry)
        let configuration = supplies.configuration().settings(for: application.identity)
        var start = try StartOptions(options, configuration: configuration)
        let formatting = try FormattingRequest(options, configuration: configuration)
        application.apply(configuration, to: &start)
        if start.broadcasts, !isOfOneUser {
            throw Refusal(
                .invalidArguments, "Option 'broadcast' is for a bus that belongs to one user: call Subscribe."
            )
        }
        // Before any work for the caller.
        if let refusal = dictation.refusal(ofStart: start, by: client) { throw refusal }
        do throws(RecognitionError) {
            let engine = start.transcription.engine
            let preferred = configuration.engine
            start.transcription = try dictation.choose(
                start.transcription, from: engine.isEmpty ? preferred : [engine], previewsFrom: preferred)
        } catch {
            throw Refusal(error)
        }
        let isFiltered =
            try OptionReader(options: options).bool(StartOption.filter) ?? true
            || configuration.administered.contains("filter")
        if supplies.textFilter != nil, !configuration.filter.isEmpty, isFiltered {
            start.filter = configuration.filter
        }
        let languages = [start.transcription.language] + start.transcription.otherLanguages
        // A grammar has exactly the words that the client wants.
        if start.transcription.grammar == nil {
            start.cleanUp = formattingPlanner.cleanUp(configuration.cleanUp, languages: languages)
        }
        let plan = try formattingPlanner.plan(
            formatting, languages: languages, of: application.identity, configuration: configuration)
        if let plan, let lexicons = formattingPlanner.lexicons(for: plan) {
            start.format(by: plan, with: lexicons)
        }
        return StartPreparation(start: start, plan: start.formatting == nil ? plan : nil)
    }

    /// Runs a preparation, and keeps the lexicons that it made for the next sessions.
    func run(_ preparation: StartPreparation) async throws(Refusal) -> StartOptions {
        let start = try await preparation.run(with: engines).get()
        if let plan = preparation.plan, let formatting = start.formatting {
            formattingPlanner.keep(formatting, for: plan)
        }
        return start
    }
}

extension StartOptions {
    mutating func format(by plan: FormattingPlan, with lexicons: [Lexicon]) {
        formatting = plan.formatting(with: lexicons)
        transcription.spokenMarks = formatting?.lexicon.spokenMarks ?? []
    }
}
