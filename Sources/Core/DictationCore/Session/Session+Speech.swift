// Spoken commands.

extension Session {
    /// - Parameter number: the block that the commands were said in.
    mutating func carryOut(
        _ events: [Block.Event], said number: BlockNumber, at now: Duration, _ context: SessionContext,
        _ effects: inout [Effect]
    ) {
        sendRetractions(events, of: number, context, &effects)
        for event in events {
            switch event {
            case .retracted, .retractEarlier: break
            case .phrase(let phrase): sendPhrase(phrase, context, &effects)
            case .endBlock:
                // If the block is not the current one, it is being committed already.
                if block.number == number, isPermitted { commit(for: nil, at: now, context, &effects) }
            case .endDictation:
                guard isPermitted, ending == nil else { break }
                if block.number == number { commit(for: nil, at: now, context, &effects) }
                stop(because: .stopped, &effects)
            }
        }
    }

    /// Sends Retracted for text taken back from this block or, if it has none, from an earlier one.
    mutating func sendRetractions(
        _ events: [Block.Event], of number: BlockNumber, _ context: SessionContext,
        _ effects: inout [Effect]
    ) {
        for event in events {
            switch event {
            case .retracted(let offset, let scalars):
                guard isPermitted else { break }
                send(.retracted(number, offset: offset, scalars: scalars), context, &effects)
            case .retractEarlier: retractFromFinishedBlock(context, &effects)
            case .endBlock, .endDictation, .phrase: break
            }
        }
    }

    /// Takes back the last utterance of the last finished block that has text.
    private mutating func retractFromFinishedBlock(_ context: SessionContext, _ effects: inout [Effect]) {
        for position in finals.indices.reversed() {
            guard let taken = finals[position].takeBack() else { continue }
            let number = finals[position].number
            if isPermitted {
                send(
                    .retracted(number, offset: taken.offset, scalars: taken.scalars), context, &effects)
            }
            return
        }
    }

    /// Sends the text before the phrase first, even to a slow reader: the client may act upon it.
    private mutating func sendPhrase(
        _ phrase: String, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard isPermitted, ending == nil else { return }
        if options.sendsPartials, let partial = block.takePartial() {
            send(
                .partial(
                    block.number, offset: partial.offset, stable: partial.stable, volatile: partial.volatile),
                context, &effects)
        }
        send(.command(phrase), context, &effects)
    }
}
