/// Finds the nearest of some languages: lookup by RFC 4647, then another region or script of the same language.
public enum LanguageTag {
    /// - Parameters:
    ///   - tag: BCP 47, or as engines spell it, such as `pt_BR`.
    ///   - available: tags; of equally near ones the first.
    /// - Returns: one of `available`, as it is spelled there; nil if none has the same language.
    public static func nearest(to tag: String, among available: [String]) -> String? {
        let wanted = subtags(of: tag)
        guard let language = wanted.first else { return nil }
        let candidates = available.lazy.map { (tag: $0, subtags: subtags(of: $0)) }
            .filter { $0.subtags.first == language }
        // RFC 4647, 3.4: shorten the wanted tag until it is there. Without success: the most subtags in common.
        return (1...wanted.count).reversed().lazy.compactMap { count in
            candidates.first { $0.subtags.elementsEqual(wanted[..<count]) }
        }.first?.tag ?? candidates.max { common($0.subtags, wanted) < common($1.subtags, wanted) }?.tag
    }

    /// Whether a text looks like a BCP 47 tag.
    public static func isTag(_ text: String) -> Bool {
        (2...35).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || $0 == "-" || ("0"..."9").contains($0))
            }
    }

    /// The language alone, such as `en`.
    public static func primary(of tag: String) -> String { subtags(of: tag).first ?? "" }

    /// In lower case.
    private static func subtags(of tag: String) -> [String] {
        tag.lowercased().unicodeScalars.split { $0 == "-" || $0 == "_" }.map { String($0) }
    }

    private static func common(_ one: [String], _ other: [String]) -> Int {
        zip(one, other).prefix { $0 == $1 }.count
    }
}
