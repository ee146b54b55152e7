internal import EventLoop

/// A file of groups of keys and values, as defined by the desktop entry specification.
///
/// GLib's `GKeyFile` would add GLib to the service for these twelve lines. `FlatpakInfo` has a parser of its own because
/// it decides about identity: it rejects every unknown line, which this one skips.
struct KeyFile {
    private var groups: [Substring: [Substring: Substring]] = [:]

    init(_ text: String) {
        var group: Substring = ""
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
                group = line[line.index(after: line.startIndex)..<end]
            } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
                groups[group, default: [:]][line[..<equals].trimmed] =
                    line[line.index(after: equals)...].trimmed
            }
        }
    }

    /// Blocks. Nil if there is no such file or it cannot be read.
    init?(path: String) {
        guard let text = try? TextFile.read(path) else { return nil }
        self.init(text)
    }

    subscript(group: String, key: String) -> String? {
        groups[group[...]]?[key[...]].map { String($0) }
    }

    /// A value that is a list separated by semicolons.
    func list(_ group: String, _ key: String) -> [String]? {
        self[group, key].map { $0.split(separator: ";").map { String($0.trimmed) } }
    }
}

extension StringProtocol where SubSequence == Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...last]
    }
}
