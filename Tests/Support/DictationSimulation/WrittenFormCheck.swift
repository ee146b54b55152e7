public import DictationCore

/// Checks the promises of the written form for a sequence of words: the text does not depend on how the words were cut
/// into pieces, only a spoken command takes text back, and the preview is what a commit would add.
public struct WrittenFormCheck {
    /// A promise that does not hold for the words.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Ends an utterance.
    public static let pause = "<p>"

    /// A pause within a number.
    public static let shortPause = "<p:300>"

    /// Words of the commands that delete, in all languages.
    private static let deleting = [
        "scratch", "delete", "undo", "streich", "lösch", "efface", "supprime", "annule", "borr", "elimina",
        "deshaz",
    ]

    private static func isPause(_ word: String) -> Bool { word == pause || Pause(notation: word) != nil }

    private let lexicon: Lexicon
    private let isPunctuated: Bool

    public init(_ lexicon: Lexicon, punctuated: Bool = false) {
        self.lexicon = lexicon
        isPunctuated = punctuated
    }

    /// - Parameters:
    ///   - words: none contains white space.
    ///   - generator: decides where the words are cut.
    public func check(
        _ words: [String], cutBy generator: inout some RandomNumberGenerator
    ) throws(Failure) {
        var whole = Dictated(lexicon, punctuated: isPunctuated)
        var rest = words[...]
        while !rest.isEmpty {
            let utterance = rest.prefix { !Self.isPause($0) }
            whole.append(utterance.joined(separator: " ")[...])
            rest = rest.dropFirst(utterance.count)
            if let pause = rest.popFirst() { whole.say(pause[...]) }
        }
        whole.commit()

        let pieces = try inPieces(words, &generator)
        try require(pieces.text == whole.text, "the text depends on the cuts")
        try require(pieces.commands == whole.commands, "the commands depend on the cuts")
        let mayRetract = words.contains { word in
            let word = word.lowercased()
            return Self.deleting.contains { word.contains($0) }
        }
        try require(mayRetract || pieces.retractions == 0, "text was taken back without a command")
    }

    private func inPieces(
        _ words: [String], _ generator: inout some RandomNumberGenerator
    ) throws(Failure) -> Dictated {
        var pieces = Dictated(lexicon, punctuated: isPunctuated)
        var rest = words[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...4, using: &generator)).prefix { !Self.isPause($0) }
            if piece.isEmpty {
                pieces.say(rest[rest.startIndex][...])
                rest = rest.dropFirst()
            } else {
                let before = pieces.form
                _ = pieces.form.preview(of: rest.prefix(5).joined(separator: " "))
                try require(pieces.form == before, "a preview changed the text")
                pieces.append(piece.joined(separator: " ")[...])
                rest = rest.dropFirst(piece.count)
            }
            try require(pieces.form.heldWords <= WrittenForm.mostHeld, "too many words are held")
            try require(pieces.form.length == pieces.text.unicodeScalars.count, "the length is wrong")
        }
        let preview = pieces.form.preview(of: "")
        let (stable, retractions) = (pieces.text, pieces.retractions)
        pieces.commit()
        let isPreviewed = pieces.retractions > retractions || pieces.text == stable + preview
        try require(isPreviewed, "the preview is not what the commit added")
        return pieces
    }

    private func require(_ isSo: Bool, _ what: String) throws(Failure) {
        if !isSo { throw Failure(description: what) }
    }
}
