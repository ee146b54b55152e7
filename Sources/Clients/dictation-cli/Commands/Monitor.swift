import ArgumentParser
import DictationClient
import EventLoop
import Glibc

struct Monitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the events of this user's sessions, until Ctrl-C.")

    @OptionGroup var busOptions: BusOptions

    @Flag(help: "Also show the text of the session that this program may control.")
    var text = false

    @Flag(help: "Write every event as a line of JSON.")
    var json = false

    @Flag(help: "Begin with the present state, for a status bar.")
    var follow = false

    func run() async throws {
        let client = try await busOptions.connect()
        let events = await client.events
        try await client.subscribe(text: text)
        if follow {
            // Changes from now on are events.
            let state = try await client.userState()
            try Output.standardOutput.line(
                json
                    ? JSON.object([("event", "state"), ("state", .string(state.rawValue))]).text
                    : state.phrase)
        }
        for try await event in events {
            if json {
                try Output.standardOutput.line(event.json.text)
            } else if let line = event.line {
                try Output.standardOutput.line(line)
            }
        }
    }
}

extension SessionEvent {
    /// For people. Partial text is left out: final text follows.
    var line: String? {
        let what: String? =
            switch event {
            case .partial, .level: nil
            case .final(let final): "“\(DisplayText.harmless(final.text))”"
            case .stateChanged(let change):
                change.state.phrase + (change.pending > 0 ? ", processing \(change.pending)" : "")
            case .stopped(let reason): "Ended: \(reason.phrase)."
            default: event.notice.map(DisplayText.harmless)
            }
        return what.map { what in session.map { "\($0)  \(what)" } ?? what }
    }
}
