/// Puts an engine into the user's settings, and takes it out again. Only lines between two marks are ever written.
struct EngineSettings {
    let name: String
    let socket: String

    private var begin: String { "# begin: written by dictation-cli engines add \(name)" }
    private var end: String { "# end: dictation-cli engines add \(name)" }

    /// The settings with the engine.
    func added(to text: String) throws(EngineSetupError) -> String {
        let rest = removed(from: text)
        for key in ["engine", "engines"]
        where rest.split(separator: "\n").contains(where: { $0.hasPrefix("\(key):") }) {
            throw EngineSetupError(
                "The settings have “\(key)” already. Put these lines there yourself:\n"
                    + lines.joined(separator: "\n"))
        }
        let gap = rest.isEmpty || rest.hasSuffix("\n") ? "" : "\n"
        return rest + gap + ([begin] + lines + [end]).joined(separator: "\n") + "\n"
    }

    /// The settings without the engine.
    func removed(from text: String) -> String {
        var kept: [Substring] = []
        var isWithin = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == begin { isWithin = true }
            if !isWithin { kept.append(line) }
            if line == end { isWithin = false }
        }
        return isWithin ? text : kept.joined(separator: "\n")
    }

    private var lines: [String] {
        [
            "engine: [\(name), pocketsphinx]", "engines:", "  - name: \(name)",
            "    wyoming: \"unix:\(socket)\"", "    fallback: preview",
        ]
    }
}
