import DBus
import DictationBus
import DictationConfiguration
import DictationCore
import DictationInterface

/// Start's options for the written form.
struct FormattingRequest {
    /// Nil uses the configuration.
    var style: FormattingStyle?
    /// Whether the client can delete text.
    var commands = false
    /// The phrases that the client wants to be signalled.
    var phrases: [String] = []

    /// A call's options cannot change what the administrator has set.
    init(_ options: [BusText: Value], configuration: Configuration) throws(Refusal) {
        let reader = OptionReader(options: options)
        let style = try reader.formattingStyle()
        self.style = configuration.administered.contains("formatting") ? nil : style
        commands = try reader.bool(StartOption.commands) ?? false
        phrases = try reader.phrases()
    }
}

extension OptionReader {
    fileprivate func formattingStyle() throws(Refusal) -> FormattingStyle? {
        guard let word = try string(StartOption.formatting) else { return nil }
        guard let style = FormattingStyle(rawValue: word) else {
            throw Refusal(
                .invalidArguments, "Option 'formatting' must be 'plain' or 'dictation', not '\(word)'.")
        }
        return style
    }

    fileprivate func phrases() throws(Refusal) -> [String] {
        guard let texts = try strings(StartOption.phrases) else { return [] }
        guard texts.count <= StartOption.phraseLimit else {
            throw Refusal(
                .invalidArguments, "Option 'phrases' may have at most \(StartOption.phraseLimit) phrases.")
        }
        var phrases: [String] = []
        for text in texts {
            let phrase = try text.limited(to: .name, "A phrase of option 'phrases'")
            guard phrase.contains(where: { !$0.isWhitespace }) else {
                throw Refusal(.invalidArguments, "A phrase of option 'phrases' must have a word.")
            }
            phrases.append(phrase)
        }
        return phrases
    }
}
