// Spoken commands.

extension Session {
    /// - Parameter number: the block that the commands were said in.
    mutating func carryOut(
        _ events: [Block.Event], said number: BlockNumber, at now: Duration, _ context: SessionContext,
        _ effects: inout [Effect]
    ) {
        takeBackEarlierText(events)
        sendRetractions(context, &effects)
        for event in events {
            switch event {
            case .retractEarlier: break
            case .phrase(let phrase): sendPhrase(phrase, context, &effects)
            case .session(.endBlock):
                // If the block is not the current one, it is being committed already.
                if block.number == number, isPermitted { commit(for: nil, at: now, context, &effects) }
            case .session(.endDictation):
                guard isPermitted, ending == nil else { break }
                if block.number == number { commit(for: nil, at: now, context, &effects) }
                stop(because: .stopped, waitsForPermission: true, &effects)
            }
        }
    }

    /// Takes back the last utterance of the last finished block that has text, if the block of these events had none.
    mutating func takeBackEarlierText(_ events: [Block.Event]) {
        for event in events where event == .retractEarlier {
            // Finished blocks that wait for permission are the latest.
            if commits.indices.reversed().contains(where: { commits[$0].takeBackUnsentText() }) { continue }
            for position in finals.indices.reversed() {
                if finals[position].takeBack() { break }
            }
        }
    }

    /// Sends Retracted for all text that was taken back since the last one. Without permission nothing is sent until the
    /// permission returns; then it comes before any other text.
    mutating func sendRetractions(_ context: SessionContext, _ effects: inout [Effect]) {
        guard isPermitted else { return }
        var retractions: [Retraction] = []
        for index in finals.indices {
            guard let retraction = finals[index].takeRetraction() else { continue }
            retractions.append(retraction)
            keep(finals[index], isRest: true, &effects)
        }
        retractions += commits.indices.compactMap { commits[$0].block.takeRetraction() }
        if let retraction = block.takeRetraction() { retractions.append(retraction) }
        for retraction in retractions { send(retraction, context, &effects) }
    }

    /// The same for a commit that is being finished. Without permission nothing is sent, because its Final has the text.
    mutating func sendRetractions(
        ofCommit index: Int, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        sendRetractions(context, &effects)
        _ = commits[index].block.takeRetraction()
    }

    private func send(_ retraction: Retraction, _ context: SessionContext, _ effects: inout [Effect]) {
        send(
            .retracted(retraction.block, offset: retraction.offset, scalars: retraction.scalars), context,
            &effects)
    }

    /// Sends the text before the phrase first, even to a slow reader: the client may act upon it.
    private mutating func sendPhrase(
        _ phrase: String, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard isPermitted, ending == nil, !block.isWithheld else { return }
        if options.sendsPartials, let partial = block.takePartial() {
            send(
                .partial(
                    block.number, offset: partial.offset, stable: partial.stable, volatile: partial.volatile),
                context, &effects)
        }
        send(.command(phrase), context, &effects)
    }
}
