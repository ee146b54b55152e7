import Yams

/// One key in a file of settings that people write. Only its line is ever written.
public enum SettingsLine {
    /// The text of the file with another value of a key.
    /// - Parameter value: one word, or a string in quotes.
    public static func changed(
        _ text: String, _ key: String, to value: String
    ) throws(SettingsLineError) -> String {
        let line = "\(key): \(value)"
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if let index = lines.firstIndex(where: { $0.hasPrefix(key + ":") }) {
            lines[index] = line + comment(of: lines[index])
        } else {
            if lines.last == "" { lines.removeLast() }
            lines += [line, ""]
        }
        let changed = lines.joined(separator: "\n")
        // A file may be written in another way, such as on one line.
        guard let before = mapping(text), let after = mapping(changed),
            after.filter({ $0.key != key }) == before.filter({ $0.key != key }),
            after[key] == (try? Yams.compose(yaml: value))
        else {
            throw SettingsLineError("write “\(line)” into it yourself: it is not a list of keys in lines")
        }
        return changed
    }

    /// The comment behind a value, with the blanks before it.
    private static func comment(of line: String) -> Substring {
        guard let whole = mapping(line) else { return "" }
        let hashes = line.indices.filter { line[$0] == "#" }
        // A string in quotes can contain the character.
        guard let hash = hashes.first(where: { mapping(String(line[..<$0])) == whole }) else { return "" }
        let blanks = line[..<hash].reversed().prefix { $0 == " " || $0 == "\t" }
        return line[line.index(hash, offsetBy: -blanks.count)...]
    }

    /// Nil if the text is not a mapping.
    private static func mapping(_ text: String) -> [String: Node]? {
        guard let root = try? Yams.compose(yaml: text) else { return text.allSatisfy(isBlank) ? [:] : nil }
        if root.null != nil { return [:] }
        guard let mapping = root.mapping else { return nil }
        return Dictionary(mapping.map { ($0.key.string ?? "", $0.value) }) { first, _ in first }
    }

    private static func isBlank(_ character: Character) -> Bool { character.isWhitespace }
}

/// Why a setting cannot be changed.
public struct SettingsLineError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
