import DictationCore

/// The expected text of a block, from the recognised words.
struct Text: Hashable, Sendable {
    /// Utterances, each between two pauses, without those that were taken back.
    private var utterances: [String] = []
    /// The preview engine's utterances that are not replaced yet.
    var previews: [String] = []
    /// The hypothesis of the unfinished segment.
    var hypothesis = ""

    mutating func append(_ words: String) {
        if !words.isEmpty { utterances.append(words) }
    }

    /// Replaces the preview engine's text. Without a better text it stays.
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

    /// - Parameter isWritten: whether the text is in written form, which begins with a capital.
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

/// Spoken commands about the text, with written form.
public enum SpokenStep: String, Hashable, Sendable, CaseIterable {
    /// Takes back the last utterance.
    case scratch = "scratch that"
    /// Commits the block.
    case newBlock = "next block"
    /// Commits the block and ends dictation.
    case stop = "the end"
    /// A phrase of the client.
    case phrase = "send it"

    init?(_ words: String) { self.init(rawValue: words) }

    /// A table with only these commands. Tables of languages are tested with their files.
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
