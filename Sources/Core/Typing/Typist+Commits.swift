/// Finished text, piece by piece.
extension Typist {
    mutating func typeNext() {
        guard commit == nil, deletion == nil, let field,
            var entry = waiting.first(where: { $0.home.isSame(as: field) })
        else { return }
        // It has become private after the text began.
        guard !field.isSecret else {
            finish(entry, .kept(.password))
            return typeNext()
        }
        if entry.rest == nil {
            entry.fitted = fit(entry.text, hasInitialCapital: entry.hasInitialCapital, in: field)
            entry.rest = TextPieces.cut(String(entry.fitted), limit: field.commitLimit).reversed()
        }
        guard let piece = entry.rest?.popLast() else { return finish(entry, .sent) }
        if !shown.isEmpty {
            // In the same turn as the commit; otherwise some applications keep both.
            shown = ""
            effects.append(.perform(.clear))
        }
        let token = nextToken()
        entry.sent = Array((entry.sent + piece.unicodeScalars).suffix(TypingLimits.comparedScalars))
        lastTyped = entry.sent
        replaceWaiting(entry)
        commit = PendingCommit(entry: entry, token: token, before: field.surrounding?.text)
        effects.append(.perform(.commit(piece, token: token)))
        let reports = field.abilities.contains(.commitReports)
        effects.append(.wait(token: token, reports ? TypingLimits.reportTimeout : TypingLimits.commitGap))
    }

    private mutating func replaceWaiting(_ entry: FinishedText) {
        guard let index = waiting.firstIndex(where: { $0.id == entry.id }) else { return }
        waiting[index] = entry
    }

    /// Whether the text before the cursor ends with the typed text.
    var hasArrived: Bool {
        guard let commit, let field, field.isSame(as: commit.entry.home),
            let surrounding = field.surrounding, surrounding.text != commit.before
        else { return false }
        // A single-line entry may change newlines. An application may report only the text near the cursor.
        let sent = commit.entry.sent.withSingleSpaces
        let seen = Array(surrounding.before.suffix(2 * TypingLimits.comparedScalars)).withSingleSpaces
        return seen.hasSuffix(sent) || seen.count > 20 && sent.hasSuffix(seen)
    }

    mutating func elapse(_ token: UInt64) {
        if deletion?.token == token { abandonDeletion() }
        guard let pending = commit, pending.token == token else { return }
        if field?.surrounding != nil, !pending.hasWaited {
            commit?.hasWaited = true
            effects.append(.wait(token: token, TypingLimits.arrivalTimeout))
        } else {
            advance(.unknown)
        }
    }

    mutating func report(_ token: UInt64, _ arrival: Arrival) {
        guard commit?.token == token else { return }
        advance(arrival)
    }

    /// The commit is done; the next may follow.
    mutating func advance(_ arrival: Arrival) {
        guard var pending = commit else { return }
        commit = nil
        let hasLeft = !pending.entry.home.isSame(as: field)
        if arrival == .refused { return finish(pending.entry, .kept(hasLeft ? .left : .refused)) }
        pending.entry.isSeen = pending.entry.isSeen && arrival == .arrived
        if pending.isLast {
            finish(pending.entry, pending.entry.isSeen ? .arrived : .sent)
        } else if hasLeft {
            finish(pending.entry, .kept(.left))
        } else {
            replaceWaiting(pending.entry)
        }
    }

    mutating func finish(_ entry: FinishedText, _ state: TypingOutcome.State) {
        waiting.removeAll { $0.id == entry.id }
        if [.arrived, .sent, .doubtful].contains(state) {
            typed = Array((typed + [entry]).suffix(TypingLimits.waiting))
        }
        report(entry.id, entry.block, entry.text, state)
    }
}

extension [Unicode.Scalar] {
    /// With one space for each run of white space.
    fileprivate var withSingleSpaces: [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        for scalar in self {
            guard scalar.properties.isWhitespace else {
                result.append(scalar)
                continue
            }
            if result.last != " " { result.append(" ") }
        }
        return result
    }

    func hasSuffix(_ other: some BidirectionalCollection<Unicode.Scalar>) -> Bool {
        suffix(other.count).elementsEqual(other)
    }
}
