import ArgumentParser
import DictationClient

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the session: its state, its microphone, its text so far.")

    @OptionGroup var busOptions: BusOptions

    @Flag(help: "Write it as JSON.")
    var json = false

    func run() async throws {
        let client = try await busOptions.connect()
        let status = try await client.status()
        let other = status.session == nil ? await SessionOfOthers.state(client) : nil
        if json {
            let members: [(String, JSON)] = [
                ("state", .string(status.state.rawValue)), ("other", .string(other?.rawValue ?? "")),
            ]
            return try Output.standardOutput.line(
                other == nil ? status.json.text : JSON.object(members).text)
        }
        var lines =
            other.map {
                ["State       \($0.phrase), in another program, which alone controls its session"]
            } ?? status.lines
        if let problem = try await client.information().engineProblem {
            lines.append("Engine      " + DisplayText.harmless(problem))
        }
        for line in lines { try Output.standardOutput.line(line) }
    }
}

extension SessionStatus {
    /// For people.
    var lines: [String] {
        guard let session else { return ["There is no session."] }
        var lines = ["State       \(state.phrase)"]
        if state == .interrupted { lines[0] += ": \(reasons.sentence)" }
        if let lockedBy { lines.append("Locked by   \(DisplayText.harmless(Self.phrase(lockedBy)))") }
        lines.append("Session     \(session)" + (lingers ? ", lingering" : ""))
        lines.append("Microphone  \(route.map { DisplayText.harmless($0.title) } ?? "none")")
        lines.append(
            "Sound       \(Self.rounded(duration)) s" + (lag >= 0.1 ? ", \(Self.rounded(lag)) s behind" : ""))
        if dropouts > 0 { lines.append("Lost        \(Self.rounded(Double(dropouts) / 16_000)) s") }
        if pending > 0 { lines.append("Processing  \(pending) \(pending == 1 ? "block" : "blocks")") }
        for final in finals {
            lines.append("Block \(final.block)".padded(to: 12) + DisplayText.harmless(final.text))
        }
        lines.append("Block \(block)".padded(to: 12) + DisplayText.harmless(text) + "…")
        return lines
    }

    /// The evidence that the screen is locked.
    private static func phrase(_ source: String) -> String {
        switch source {
        case "locked-hint": "logind (LockedHint)"
        case "lock-signal":
            "logind (Lock); ends with 'loginctl unlock-session', or with the next start or resume"
        default: source
        }
    }

    private static func rounded(_ seconds: Double) -> String {
        String((seconds * 10).rounded() / 10)
    }
}

extension String {
    /// Padded with spaces to this many columns.
    func padded(to columns: Int) -> String {
        self + String(repeating: " ", count: max(0, columns - DisplayText.width(self)))
    }
}
