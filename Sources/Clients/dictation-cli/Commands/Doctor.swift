import ArgumentParser
import DictationClient
import Localization

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check what dictation needs, and say what is missing.",
        discussion: "Exits with 0 if nothing is missing, else with 69.")

    @OptionGroup var busOptions: BusOptions

    @Flag(help: "Write the findings as JSON.")
    var json = false

    func run() async throws {
        let findings = await Diagnosis(busOptions: busOptions).findings()
        if json {
            try Output.standardOutput.line(JSON.array(findings.map(\.json)).text)
        } else {
            let inColour = Output.standardOutput.isTerminal && Terminal.hasColour
            for line in findings.flatMap(\.lines) {
                try Output.standardOutput.line(line.rendered(inColour: inColour))
            }
            try Output.standardOutput.line(findings.nextStep)
        }
        if findings.contains(where: { !$0.isGood }) { throw ExitStatus.unavailable.code }
    }
}

extension [Finding] {
    /// The one thing to do next.
    var nextStep: String {
        guard let finding = first(where: { !$0.isGood }), let remedy = finding.remedy else {
            return
                translated(
                    "Nothing is missing. Next: “dictation-cli listen”, or dictate into a window by a key: “dictation-cli shortcut” says how."
                )
        }
        return translated("Next: \(DisplayText.harmless(remedy))")
    }
}

/// A requirement of dictation.
struct Finding {
    var what: String
    /// What to do; nil if nothing is missing.
    var remedy: String?

    var isGood: Bool { remedy == nil }
    var sentence: String { remedy.map { "\(what) \($0)" } ?? what }

    static func good(_ what: UserText) -> Finding { Finding(what: what.description) }
    static func missing(_ what: UserText, _ remedy: UserText) -> Finding {
        Finding(what: what.description, remedy: remedy.description)
    }

    var lines: [StyledLine] {
        var line = StyledLine(isGood ? "✓ " : "✗ ", isGood ? .good : .bad)
        line.append(DisplayText.harmless(what))
        return [line] + (remedy.map { [StyledLine("  → " + DisplayText.harmless($0))] } ?? [])
    }

    var json: JSON {
        .object([("what", .string(what)), ("good", .bool(isGood)), ("remedy", JSON(remedy))])
    }
}
