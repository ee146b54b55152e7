// What the user said about the text instead of text.

extension DictationMachine {
    /// - Parameter number: the block in which it was said.
    mutating func carryOut(
        _ events: [Block.Event], said number: BlockNumber, of index: Int, at now: Duration
    ) {
        tellRetractions(events, of: number, index)
        for event in events {
            switch event {
            case .retracted, .retractEarlier: break
            case .phrase(let phrase): tellPhrase(phrase, of: index)
            case .endBlock:
                // A block that is being committed ends anyway.
                if sessions[index].block.number == number, isPermitted(sessions[index]) {
                    commit(index, for: nil, at: now)
                }
            case .endDictation:
                guard isPermitted(sessions[index]), sessions[index].ending == nil else { break }
                if sessions[index].block.number == number { commit(index, for: nil, at: now) }
                stop(index, because: .stopped)
            }
        }
    }

    /// Tells what was taken back of the block and, where it had no text, of one before it.
    mutating func tellRetractions(_ events: [Block.Event], of number: BlockNumber, _ index: Int) {
        for event in events {
            switch event {
            case .retracted(let offset, let scalars):
                guard isPermitted(sessions[index]) else { break }
                tell(.retracted(number, offset: offset, scalars: scalars), of: sessions[index])
            case .retractEarlier: takeBackFinished(of: index)
            case .endBlock, .endDictation, .phrase: break
            }
        }
    }

    /// The last finished block that has text gives its last utterance back.
    private mutating func takeBackFinished(of index: Int) {
        for position in sessions[index].finals.indices.reversed() {
            guard let taken = sessions[index].finals[position].takeBack() else { continue }
            let number = sessions[index].finals[position].number
            if isPermitted(sessions[index]) {
                tell(.retracted(number, offset: taken.offset, scalars: taken.scalars), of: sessions[index])
            }
            return
        }
    }

    /// The text before the phrase is told first, also where partials wait for a slow reader: the client may act upon it.
    private mutating func tellPhrase(_ phrase: String, of index: Int) {
        guard isPermitted(sessions[index]), sessions[index].ending == nil else { return }
        if sessions[index].options.sendsPartials, let partial = sessions[index].block.takePartial() {
            tell(
                .partial(
                    sessions[index].block.number, offset: partial.offset, stable: partial.stable,
                    volatile: partial.volatile), of: sessions[index])
        }
        tell(.command(phrase), of: sessions[index])
    }
}
