import DBus
import DictationBus
import DictationConfiguration
import DictationCore
import DictationInterface

/// The application whose settings count for a session, and whether the history keeps its texts.
struct ApplicationChoice {
    /// The client, or the application into whose window it types. Never a proof of who calls.
    let identity: Identity
    /// Into whose window the client types.
    private let window: String?
    private let client: Identity
    /// What the client wants of the history; nil if it does not say.
    private let history: Bool?

    /// - Parameter entry: of the history, which is recognised again; nil for a Start.
    init(
        _ options: [BusText: Value], from client: Client, as entry: HistoryEntry?
    ) throws(Refusal) {
        let reader = OptionReader(options: options)
        let asked = try reader.string(StartOption.application)
        let named = entry == nil ? asked : entry?.application
        let own = entry?.identity ?? client.identity
        // An application in a sandbox has its own settings, whatever it says.
        window = own.isSandboxed || named?.isEmpty == true ? nil : named
        identity = window.map { Identity(uid: own.uid, kind: .app, id: $0) } ?? own
        self.client = client.identity
        history = try reader.bool(StartOption.history)
    }

    func apply(_ configuration: Configuration, to start: inout StartOptions) {
        start.application = window
        start.keepsTexts = history ?? true
        start.mayKeepTexts =
            configuration.keepsTexts(of: identity) ?? (!client.isSandboxed || history == true)
        start.keepsSound =
            configuration.history.isOn && configuration.history.keepsSound && start.mayKeepTexts
            && !start.hasInput
    }
}
