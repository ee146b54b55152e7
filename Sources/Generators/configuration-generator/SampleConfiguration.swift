import DictationConfiguration

/// A file with every key and its default, commented out.
enum SampleConfiguration {
    static func text(_ defaults: Configuration) -> String {
        var lines = [
            "# Settings of dictation: see dictation.conf(5). Copy to /etc/dictation/dictation.yaml (the",
            "# administrator's, which take precedence) or ~/.config/dictation/dictation.yaml (the user's), and",
            "# remove the # from the lines that you change. The values here are the defaults.",
            "",
        ]
        var group = ""
        for key in ConfigurationKey.all {
            let path = key.name.split(separator: ".").map(String.init)
            if path.count > 1, path[0] != group { lines += ["#\(path[0]):"] }
            group = path.count > 1 ? path[0] : ""
            lines += wrapped("\(key.meaning) (\(key.type))").map { "# " + $0 }
            let margin = String(repeating: "  ", count: path.count - 1)
            lines += ["#\(margin)\(path[path.count - 1]): \(key.value(in: defaults))", ""]
        }
        lines.removeLast()
        return lines.joined(separator: "\n") + "\n"
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.count + word.count >= 98 {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = line.isEmpty ? String(word) : "\(line) \(word)"
            }
        }
        return lines
    }
}
