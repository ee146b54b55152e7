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

    @Flag(
        help:
            "Show the state alone, now and after every change, for a status bar. As JSON, in the format of waybar."
    )
    var follow = false

    func validate() throws {
        if follow, text { throw ValidationError("Choose one of --follow and --text.") }
    }

    func run() async throws {
        let client = try await busOptions.connect()
        let events = await client.events
        try await client.subscribe(text: text)
        if follow { return try await followState(client, events) }
        for try await event in events {
            if json {
                try Output.standardOutput.line(event.json.text)
            } else if let line = event.line {
                try Output.standardOutput.line(line)
            }
        }
    }

    /// The state is read after each event that may have changed it, so that none is missed.
    private func followState(_ client: DictationClient, _ events: ServiceEvents) async throws {
        var shown = try await client.userState()
        try write(shown)
        for try await event in events {
            let state: SessionState
            switch event.event {
            case .stateChanged, .interrupted, .resumed, .stopped, .restored, .serviceAppeared:
                state = try await client.userState()
            case .serviceVanished: state = .idle
            default: continue
            }
            guard state != shown else { continue }
            shown = state
            try write(state)
        }
    }

    private func write(_ state: SessionState) throws(OutputError) {
        guard json else { return try Output.standardOutput.line(state.phrase) }
        // Status bars show "text", and choose an icon by "alt" and a style by "class".
        let word = JSON.string(state.rawValue)
        try Output.standardOutput.line(
            JSON.object([
                ("event", "state"), ("state", word), ("text", .string(state.phrase)), ("alt", word),
                ("class", word), ("tooltip", .string("Dictation: \(state.phrase)")),
            ]).text)
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
