/// The text of an engine in another process, as it may be shown and typed.
public enum EngineText {
    /// The longest caption marker in Unicode scalars. Longer parentheses are speech.
    private static let longestMarker = 80

    /// Removes caption markers and characters that are not text. White space becomes one space.
    public static func clean(_ text: String) -> String {
        String(String.UnicodeScalarView(withoutMarkers(Array(text.unicodeScalars))))
            .unicodeScalars.split { scalar in
                scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
            }.map { String($0) }.joined(separator: " ")
    }

    /// Control characters that change how other text is shown, and what is no character. Marks that a script needs, such
    /// as U+200C and U+200F, stay.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202a...0x202e, 0x2066...0x2069, 0x206a...0x206f, 0xfff9...0xfffb, 0xfeff, 0xe0000...0xe0fff:
            true
        default: scalar.properties.isNoncharacterCodePoint
        }
    }

    private static func withoutMarkers(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var kept: [Unicode.Scalar] = []
        var index = 0
        while index < scalars.count {
            if let end = endOfMarker(in: scalars, at: index) {
                kept.append(" ")
                index = end
            } else {
                if !isForbidden(scalars[index]) { kept.append(scalars[index]) }
                index += 1
            }
        }
        return kept
    }

    /// The index after the marker that begins here; nil if none does.
    private static func endOfMarker(in scalars: [Unicode.Scalar], at start: Int) -> Int? {
        let limit = min(scalars.count, start + longestMarker)
        func index(of end: Unicode.Scalar) -> Int? {
            scalars[start + 1..<max(limit, start + 1)].firstIndex(of: end)
        }
        switch scalars[start] {
        case "♩", "♪", "♫", "♬": return start + 1
        case "[": return index(of: "]").map { $0 + 1 }
        case "(": return index(of: ")").map { $0 + 1 }
        case "*":
            // Not a product: "5 * 3 * 2".
            guard let end = index(of: "*"), end > start + 1, !scalars[start + 1].properties.isWhitespace,
                !scalars[end - 1].properties.isWhitespace
            else { return nil }
            return end + 1
        case "<":
            guard start + 1 < limit, scalars[start + 1] == "|", let end = index(of: ">"), end > start + 2,
                scalars[end - 1] == "|"
            else { return nil }
            return end + 1
        default: return nil
        }
    }
}
