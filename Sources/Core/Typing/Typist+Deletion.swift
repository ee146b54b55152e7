/// Deletes text that the user takes back after it was finished. Only if the field reports that it is before the cursor, and
/// only ASCII, because some applications count bytes instead of characters and would delete too much or too little.
extension Typist {
    mutating func retract(_ block: UInt64, _ offset: Int) {
        // The final text of the block is still to come, and will not contain the retracted text.
        if closing.contains(where: { $0.block == block }) { return }
        guard let index = find(block, in: waiting), waiting[index].rest == nil else {
            retractions.append(Retraction(block: block, offset: offset))
            if retractions.count > TypingLimits.waiting { retractions.removeFirst() }
            return
        }
        waiting[index].text = String(waiting[index].text.unicodeScalars.prefix(max(0, offset)))
        if waiting[index].text.isEmpty { finish(waiting[index], .retracted) }
    }

    private func find(_ block: UInt64, in entries: [FinishedText]) -> Int? {
        entries.lastIndex { $0.dictation == dictation && $0.block == block }
    }

    mutating func deleteNext() {
        while commit == nil, deletion == nil, let retraction = retractions.first {
            if find(retraction.block, in: waiting) != nil { return }
            retractions.removeFirst()
            guard let index = find(retraction.block, in: typed), let field,
                let surrounding = field.surrounding,
                let count = deletableCount(of: typed[index], from: retraction.offset, in: field, surrounding)
            else {
                effects.append(.retractionFailed(block: retraction.block, .notHere))
                continue
            }
            delete(count, of: typed[index], from: retraction.offset, surrounding)
        }
    }

    /// The number of scalars before the cursor that are this text from `offset` on; nil if the field does not contain all of
    /// them.
    private func deletableCount(
        of entry: FinishedText, from offset: Int, in field: TextField, _ surrounding: SurroundingText
    ) -> Int? {
        guard field.canDelete, field.isSame(as: entry.home) else { return nil }
        var count = entry.fitted.count
        if offset > 0 {
            var removed = Array(entry.text.unicodeScalars.dropFirst(offset))
            // A full stop in the middle of a sentence was not typed.
            if removed.last == ".", entry.fitted.last(where: { $0 != " " }) != "." { removed.removeLast() }
            // A space may have been added after the text. Then delete one of the two spaces.
            let hasSpaceBehind = !entry.fitted.hasSuffix(removed) && entry.fitted.hasSuffix(removed + [" "])
            guard hasSpaceBehind || entry.fitted.hasSuffix(removed) else { return nil }
            count = removed.count + (hasSpaceBehind && removed.first != " " ? 1 : 0)
        }
        let end = entry.fitted.suffix(count + TypingLimits.comparedScalars)
        guard count > 0, entry.fitted.suffix(count).allSatisfy(\.isASCII),
            Array(surrounding.before.suffix(end.count)).hasSuffix(end)
        else { return nil }
        return count
    }

    private mutating func delete(
        _ count: Int, of entry: FinishedText, from offset: Int, _ surrounding: SurroundingText
    ) {
        lastTyped = nil
        if !shown.isEmpty {
            shown = ""
            effects.append(.perform(.clear))
        }
        let token = nextToken()
        deletion = PendingDeletion(
            token: token, entry: entry, offset: offset, count: count, text: surrounding.text,
            left: surrounding.before.dropLast(count).suffix(TypingLimits.comparedScalars))
        effects.append(.perform(.delete(count)))
        effects.append(.wait(token: token, TypingLimits.deletionTimeout))
    }

    /// Text counts as deleted when the field reports it.
    mutating func checkDeletion(isSameField: Bool) {
        guard let deletion else { return }
        guard isSameField, let surrounding = field?.surrounding else { return abandonDeletion() }
        let before = surrounding.before.suffix(TypingLimits.comparedScalars)
        if surrounding.text == deletion.text || !before.elementsEqual(deletion.left) { return }
        self.deletion = nil
        guard let index = typed.firstIndex(where: { $0.id == deletion.entry.id }) else { return }
        var entry = typed[index]
        entry.text = String(entry.text.unicodeScalars.prefix(max(0, deletion.offset)))
        entry.fitted.removeLast(min(deletion.count, entry.fitted.count))
        typed[index] = entry
        if entry.text.isEmpty { typed.remove(at: index) }
        report(entry.id, entry.block, entry.text, entry.text.isEmpty ? .retracted : .arrived)
    }

    mutating func abandonDeletion() {
        guard let deletion else { return }
        self.deletion = nil
        // The content of the field is no longer known.
        typed.removeAll { $0.id == deletion.entry.id }
        effects.append(.retractionFailed(block: deletion.entry.block, .unseen))
    }
}
