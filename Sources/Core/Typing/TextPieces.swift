/// Converts text to the form that fields accept.
enum TextPieces {
    /// Cuts a text into pieces of at most `limit` bytes, after spaces if there are any, else between characters. A
    /// character that is longer than the limit is cut between its scalars. Joined, the pieces are the text.
    static func cut(_ text: String, limit: Int) -> [String] {
        // A scalar has up to 4 bytes.
        let limit = max(limit, 4)
        var pieces: [String] = []
        /// The piece up to the last space, and the rest.
        var words = ""
        var rest = ""
        func flush() {
            if !words.isEmpty { pieces.append(words) }
            words = ""
        }
        for character in text {
            let length = character.utf8.count
            if words.utf8.count + rest.utf8.count + length > limit {
                if words.isEmpty { swap(&words, &rest) }
                flush()
                if rest.utf8.count + length > limit {
                    words = rest
                    rest = ""
                    flush()
                }
            }
            if length > limit {
                pieces += cutLongCharacter(character, limit: limit)
            } else if character == " " || character == "\n" {
                words += rest + String(character)
                rest = ""
            } else {
                rest.append(character)
            }
        }
        words += rest
        flush()
        return pieces
    }

    private static func cutLongCharacter(_ character: Character, limit: Int) -> [String] {
        var pieces: [String] = []
        var piece = String.UnicodeScalarView()
        var bytes = 0
        for scalar in character.unicodeScalars {
            if bytes + scalar.utf8Length > limit {
                pieces.append(String(piece))
                piece = String.UnicodeScalarView()
                bytes = 0
            }
            piece.append(scalar)
            bytes += scalar.utf8Length
        }
        return pieces + [String(piece)]
    }

    /// The end of a text in at most `limit` bytes, with an ellipsis if it was cut.
    static func tail(_ text: [Unicode.Scalar], limit: Int) -> String {
        if text.count * 4 <= limit || text.reduce(0, { $0 + $1.utf8Length }) <= limit { return String(text) }
        var bytes = 3
        var first = text.count
        while first > 0, bytes + text[first - 1].utf8Length <= limit {
            first -= 1
            bytes += text[first].utf8Length
        }
        while first < text.count, text[first].extendsCharacter { first += 1 }
        if let space = text[first...].prefix(40).firstIndex(of: " ") { first = space + 1 }
        return "…" + String(text[first...])
    }

    /// The text without control characters. In a terminal newlines and tabs are commands too, and become spaces.
    static func withoutCommands(_ text: String, isTerminal: Bool) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            switch scalar {
            case "\n" where previous == "\r":
                continue
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}", "\t":
                let plain: Unicode.Scalar = isTerminal ? " " : scalar == "\t" ? "\t" : "\n"
                let follows = previous.map { $0 == "\t" || $0.isNewline } ?? false
                if !isTerminal || !follows { result.append(plain) }
            case _ where scalar.properties.generalCategory == .control:
                continue
            default:
                result.append(scalar)
            }
        }
        return result
    }
}
