/// Text for a terminal.
enum DisplayText {
    /// Columns of a character: 2 for East Asian wide ones and emoji, 0 for combining marks.
    static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        let isEmoji = character.unicodeScalars.contains {
            $0 == "\u{FE0F}" || $0.properties.isEmojiPresentation
        }
        return isEmoji || wide.contains(where: { $0.contains(scalar.value) }) ? 2 : 1
    }

    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// The text in one line, without anything that moves the cursor or changes the terminal. Text of devices and recognisers
    /// is not trusted.
    static func harmless(_ text: String) -> String {
        filtered(text) { _ in " " }
    }

    /// The same with its lines and tabs.
    static func harmlessLines(_ text: String) -> String {
        filtered(text) { $0 == "\n" || $0 == "\t" ? $0 : $0.isLineSeparator ? "\n" : " " }
    }

    private static func filtered(
        _ text: String, _ control: (Unicode.Scalar) -> Unicode.Scalar
    ) -> String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            switch scalar.properties.generalCategory {
            case .control where scalar == "\n" && previous == "\r": break
            case .control, .lineSeparator, .paragraphSeparator: result.append(control(scalar))
            case .format where scalar.changesDirection: break
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// The beginning of `text`, with an ellipsis if it was cut.
    static func truncated(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        var result = ""
        var used = 1
        for character in text {
            used += width(character)
            guard used <= columns else { break }
            result.append(character)
        }
        return columns > 0 ? result + "…" : ""
    }

    /// The East Asian wide and fullwidth blocks of Unicode's EastAsianWidth.txt, in rough ranges.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]
}

extension Unicode.Scalar {
    fileprivate var isLineSeparator: Bool {
        switch self {
        case "\r", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }

    /// Embeddings, overrides and isolates: they change the direction of the text that follows, also of other programs.
    fileprivate var changesDirection: Bool {
        switch value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
