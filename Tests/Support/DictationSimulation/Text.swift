import DictationCore

/// The text of a block, made from what was understood as the interface describes it.
struct Text: Hashable, Sendable {
    /// What was said between two pauses each, without what was taken back.
    private var utterances: [String] = []
    /// Of the preview engine, as long as no better text has replaced them.
    var previews: [String] = []
    /// What the unfinished segment seems to say.
    var hypothesis = ""

    mutating func append(_ words: String) {
        if !words.isEmpty { utterances.append(words) }
    }

    /// The better text replaces that of the preview engine; without one that stays.
    mutating func finish(_ passage: PassageText) {
        let replaced = previews.prefix(passage.replaces)
        previews.removeFirst(replaced.count)
        if let segment = passage.segment {
            append(segment.text)
        } else {
            for preview in replaced { append(preview) }
        }
    }

    mutating func keepVolatile() {
        for preview in previews { append(preview) }
        previews = []
        append(hypothesis)
        hypothesis = ""
    }

    /// Takes back the last utterance.
    /// - Returns: whether there was one.
    mutating func takeBack() -> Bool { utterances.popLast() != nil }

    /// - Parameter isWritten: the words become text as people write it, which begins with a capital.
    func stable(isWritten: Bool) -> String {
        Self.text(utterances, isWritten: isWritten)
    }

    func volatile(isWritten: Bool) -> String {
        let words = (previews + [hypothesis]).filter { !$0.isEmpty }
        guard !utterances.isEmpty else { return Self.text(words, isWritten: isWritten) }
        return words.map { " " + $0 }.joined()
    }

    private static func text(_ words: [String], isWritten: Bool) -> String {
        let text = words.joined(separator: " ")
        return isWritten ? text.prefix(1).uppercased() + text.dropFirst() : text
    }
}

/// What a user says about the text where words are written as people write them.
public enum SpokenStep: String, Hashable, Sendable, CaseIterable {
    /// Takes the last utterance back.
    case scratch = "scratch that"
    /// Commits the block.
    case newBlock = "next block"
    /// Commits the block and ends dictation.
    case stop = "the end"
    /// Words that the client wants to be told of.
    case phrase = "send it"

    init?(_ words: String) { self.init(rawValue: words) }

    /// A table with nothing but these: how words are written in a language is tested with its file.
    static let formatting: Formatting = {
        var table = LanguageTable(language: "x")
        table.commands = [
            .init(.scratch, spoken: [SpokenStep.scratch.rawValue]),
            .init(.newBlock, spoken: [SpokenStep.newBlock.rawValue]),
            .init(.stop, spoken: [SpokenStep.stop.rawValue]),
        ]
        return Formatting(Lexicon(table, clientPhrases: [SpokenStep.phrase.rawValue]))
    }()
}
