import ArgumentParser
import Localization

/// What a mistyped command may have meant.
struct CommandSuggestion: CustomStringConvertible {
    let word: String
    let command: String

    var description: String {
        translated(
            "There is no command “\(word)”. Did you mean “\(command)”? “dictation-cli --help” lists all.")
    }

    /// Nil if the first word is a command, or resembles none.
    init?(_ arguments: some Sequence<String>, among configuration: CommandConfiguration) {
        guard let word = arguments.first(where: { _ in true }), !word.hasPrefix("-") else { return nil }
        var shown: [String] = []
        for type in configuration.subcommands {
            let names = [Self.name(of: type)] + type.configuration.aliases
            if names.contains(word) { return nil }
            if type.configuration.shouldDisplay { shown += names }
        }
        if word == "help" { return nil }
        let nearest = shown.map { ($0, Self.distance($0, word)) }.min { $0.1 < $1.1 }
        // Half of the letters may be wrong, and two at most.
        guard let (name, distance) = nearest, distance <= min(2, word.count / 2) else { return nil }
        self.word = word
        command = name
    }

    private static func name(of type: any ParsableCommand.Type) -> String {
        type.configuration.commandName ?? String(describing: type).lowercased()
    }

    /// Letters to add, remove or change, and neighbours to swap (the optimal string alignment distance).
    static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        // Longer words resemble no command.
        guard other.count <= 40 else { return .max }
        var rows = [Array(0...other.count)]
        for i in 0..<one.count {
            var row = [i + 1]
            for j in 0..<other.count {
                let change = rows[i][j] + (one[i] == other[j] ? 0 : 1)
                var cost = min(change, rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
                    cost = min(cost, rows[i - 1][j - 1] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
