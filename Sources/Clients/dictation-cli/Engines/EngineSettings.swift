/// Engines in the user's settings. Only lines between two marks are ever written.
struct EngineSettings {
    /// An engine in the settings.
    struct Entry: Hashable {
        let name: String
        /// Such as `unix:/run/user/1000/engine.sock`.
        let address: String
    }

    private static let begin = "# begin: written by dictation-cli engines add"
    private static let end = "# end: dictation-cli engines add"

    /// The lines of the user's own, and the engines between the marks, the most wanted first.
    private let own: String
    private let entries: [Entry]
    /// The value of the language between the marks, which can have several lines.
    private let language: String?

    init(_ text: String) {
        var kept: [Substring] = []
        var entries: [Entry] = []
        var language: String?
        // Whether the last line was of its value.
        var isLanguage = false
        var name: String?
        var isWithin = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(Self.begin) { isWithin = true }
            if !isWithin { kept.append(line) }
            if isWithin, let match = line.wholeMatch(of: /language:(.*)/) {
                language = String(match.1)
                isLanguage = true
            } else if isLanguage, line.hasPrefix(" ") || line.hasPrefix("-") {
                language?.append("\n\(line)")
            } else {
                isLanguage = false
            }
            if isWithin, let match = line.wholeMatch(of: /\s*- name: (.+)/) { name = String(match.1) }
            if isWithin, let match = line.wholeMatch(of: /\s*wyoming: "(.+)"/), let found = name {
                entries.append(Entry(name: found, address: String(match.1)))
                name = nil
            }
            if line.hasPrefix(Self.end) { isWithin = false }
        }
        // A block without an end is not this program's.
        own = isWithin ? text : kept.joined(separator: "\n")
        self.entries = isWithin ? [] : entries
        self.language = isWithin ? nil : language
    }

    /// The settings with the engine, which is used from now on, before those that were added earlier.
    func adding(_ entry: Entry, language: String? = nil) throws(EngineSetupError) -> String {
        let all = [entry] + entries.filter { $0.name != entry.name }
        let lines = Self.lines(all, language: language.map { " \($0)" } ?? self.language)
        let taken = ["engine", "engines"] + (language == nil ? [] : ["language"])
        for key in taken where own.split(separator: "\n").contains(where: { $0.hasPrefix("\(key):") }) {
            throw EngineSetupError(
                "The settings have “\(key)” already. Put these lines there yourself:\n"
                    + lines.joined(separator: "\n"))
        }
        return text(lines)
    }

    /// The settings without the engine.
    func removing(_ name: String) -> String {
        let rest = entries.filter { $0.name != name }
        guard rest != entries else {
            return text(entries.isEmpty ? [] : Self.lines(entries, language: language))
        }
        return text(rest.isEmpty ? [] : Self.lines(rest, language: language))
    }

    /// Whether the engine was added.
    func contains(_ name: String) -> Bool { entries.contains { $0.name == name } }

    private func text(_ lines: [String]) -> String {
        guard !lines.isEmpty else { return own }
        let gap = own.isEmpty || own.hasSuffix("\n") ? "" : "\n"
        return own + gap + ([Self.begin] + lines + [Self.end]).joined(separator: "\n") + "\n"
    }

    private static func lines(_ entries: [Entry], language: String?) -> [String] {
        (language.map { ["language:\($0)"] } ?? []) + [
            "engine: [\((entries.map(\.name) + ["pocketsphinx"]).joined(separator: ", "))]", "engines:",
        ]
            + entries.flatMap {
                ["  - name: \($0.name)", "    wyoming: \"\($0.address)\"", "    fallback: preview"]
            }
    }
}
