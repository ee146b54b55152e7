// What the user said about the text instead of text.

extension Session {
    /// - Parameter number: the block in which it was said.
    mutating func carryOut(
        _ events: [Block.Event], said number: BlockNumber, at now: Duration, _ context: SessionContext,
        _ effects: inout [Effect]
    ) {
        tellRetractions(events, of: number, context, &effects)
        for event in events {
            switch event {
            case .retracted, .retractEarlier: break
            case .phrase(let phrase): tellPhrase(phrase, context, &effects)
            case .endBlock:
                // A block that is being committed ends anyway.
                if block.number == number, isPermitted { commit(for: nil, at: now, context, &effects) }
            case .endDictation:
                guard isPermitted, ending == nil else { break }
                if block.number == number { commit(for: nil, at: now, context, &effects) }
                stop(because: .stopped, &effects)
            }
        }
    }

    /// Tells what was taken back of the block and, where it had no text, of one before it.
    mutating func tellRetractions(
        _ events: [Block.Event], of number: BlockNumber, _ context: SessionContext,
        _ effects: inout [Effect]
    ) {
        for event in events {
            switch event {
            case .retracted(let offset, let scalars):
                guard isPermitted else { break }
                tell(.retracted(number, offset: offset, scalars: scalars), context, &effects)
            case .retractEarlier: takeBackFinished(context, &effects)
            case .endBlock, .endDictation, .phrase: break
            }
        }
    }

    /// The last finished block that has text gives its last utterance back.
    private mutating func takeBackFinished(_ context: SessionContext, _ effects: inout [Effect]) {
        for position in finals.indices.reversed() {
            guard let taken = finals[position].takeBack() else { continue }
            let number = finals[position].number
            if isPermitted {
                tell(
                    .retracted(number, offset: taken.offset, scalars: taken.scalars), context, &effects)
            }
            return
        }
    }

    /// The text before the phrase is told first, also where partials wait for a slow reader: the client may act upon it.
    private mutating func tellPhrase(
        _ phrase: String, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard isPermitted, ending == nil else { return }
        if options.sendsPartials, let partial = block.takePartial() {
            tell(
                .partial(
                    block.number, offset: partial.offset, stable: partial.stable, volatile: partial.volatile),
                context, &effects)
        }
        tell(.command(phrase), context, &effects)
    }
}
