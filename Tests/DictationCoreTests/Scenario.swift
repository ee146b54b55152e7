import DictationCore

/// A machine, its clock and its effects, with short names for tests.
struct Scenario {
    var machine: DictationMachine
    private(set) var now: Duration = .zero
    private(set) var slept: Duration = .zero
    /// Everything since ``clear()``.
    private(set) var effects: [Effect] = []
    /// The streams that are open.
    private(set) var captures: [CaptureID: SessionID] = [:]
    private var lastCall: UInt64 = 0
    private var lastSession: UInt64 = 0

    static let granted: Set<Client> = [.editor, .terminal, .player, .mail, .chat]

    init(settings: Settings = Settings(), audio: AudioFacts? = .desk, seat: SeatFacts? = .present) {
        let permissions = Self.granted.map { ($0.identity, Permission.granted) }
        machine = DictationMachine(
            world: World(seat: seat, permissions: Dictionary(permissions) { first, _ in first }),
            settings: settings)
        if let audio { handle(.audio(audio)) }
    }

    mutating func handle(_ event: Event) {
        let new = machine.handle(event, at: Moment(awake: now, elapsed: now + slept))
        for effect in new {
            if case .openCapture(let id, let session, _) = effect { captures[id] = session }
            if case .closeCapture(let id, _) = effect { captures[id] = nil }
        }
        effects += new
    }

    mutating func clear() { effects = [] }

    /// Lets time pass, with a tick at every deadline.
    mutating func wait(_ duration: Duration) {
        let end = now + duration
        while let deadline = machine.nextDeadline, deadline <= end {
            now = max(now, deadline)
            handle(.tick)
        }
        now = end
    }

    /// The computer sleeps and wakes up.
    mutating func sleep(_ duration: Duration) {
        handle(.seat(SeatFacts(isAsleep: true)))
        slept += duration
        handle(.seat(.present))
    }

    @discardableResult
    mutating func call(_ request: Request, by client: Client = .editor) -> CallID {
        lastCall += 1
        handle(.call(CallID(rawValue: lastCall), from: client, request))
        return CallID(rawValue: lastCall)
    }

    /// Calls Start; the session has the returned number if it was not refused.
    @discardableResult
    mutating func start(by client: Client = .editor, _ change: (inout StartOptions) -> Void = { _ in })
        -> SessionID
    {
        lastSession += 1
        var options = StartOptions(transcription: TranscriptionRequest(engine: "fake", language: "en-US"))
        change(&options)
        call(.start(SessionID(rawValue: lastSession), options), by: client)
        return SessionID(rawValue: lastSession)
    }

    /// Starts a session and lets sound flow. Earlier effects are cleared.
    mutating func listen(by client: Client = .editor, _ change: (inout StartOptions) -> Void = { _ in })
        -> SessionID
    {
        let session = start(by: client, change)
        handle(.recognition(session, .ready))
        flow(session)
        clear()
        return session
    }

    /// The open stream of the session, linked to `source`, delivers sound.
    mutating func flow(_ session: SessionID, from source: NodeName = .builtIn) {
        guard let capture = capture(of: session) else { return }
        handle(.capture(capture, .linked(source)))
        handle(.capture(capture, .flowing))
        handle(.captured(session, frames: 1600))
    }

    mutating func say(_ text: String, in session: SessionID, block: BlockNumber = 1) {
        handle(.recognition(session, .segment(block, Segment(text: text))))
    }

    func capture(of session: SessionID) -> CaptureID? { captures.first { $0.value == session }?.key }

    func signals(_ session: SessionID) -> [SessionSignal] {
        effects.compactMap {
            if case .signal(let signal, session, _) = $0 { signal } else { nil }
        }
    }

    /// The signals Interrupted, Resumed and Stopped, and the states that were signalled.
    func story(_ session: SessionID) -> [String] {
        signals(session).compactMap {
            switch $0 {
            case .interrupted(let reason, _): "Interrupted \(reason.rawValue)"
            case .resumed(let reason, _): "Resumed \(reason.rawValue)"
            case .stopped(let reason, _): "Stopped \(reason.rawValue)"
            case .stateChanged(let state, let cause, _, _): "\(state.rawValue) (\(cause.word))"
            case .error(let refusal): "Error \(refusal.kind.rawValue)"
            default: nil
            }
        }
    }

    func finals(_ session: SessionID) -> [FinishedBlock] {
        signals(session).compactMap { if case .final(let block) = $0 { block } else { nil } }
    }

    func audience(of session: SessionID, where matches: (SessionSignal) -> Bool) -> [Audience] {
        effects.compactMap {
            if case .signal(let signal, session, let audience) = $0, matches(signal) { audience } else { nil }
        }
    }

    /// The replies to a call. There must be exactly one, unless the caller has disconnected.
    func answers(to call: CallID) -> [Answer] {
        effects.compactMap {
            switch $0 {
            case .reply(call, let reply): .reply(reply)
            case .refuse(call, let refusal): .refused(refusal.kind)
            // Answered when it is stored.
            case .storeRoutes(_, for: call): .reply(.done)
            default: nil
            }
        }
    }

    mutating func state(of client: Client = .editor) -> SessionReport? {
        let call = call(.getSession, by: client)
        guard case .reply(.session(let report)) = answers(to: call).first else { return nil }
        return report
    }
}

enum Answer: Hashable {
    case reply(Reply)
    case refused(Refusal.Kind)

    /// Block and text of the answer to Commit.
    var committed: String? {
        if case .reply(.committed(let block)) = self { "\(block.number) \(block.text)" } else { nil }
    }
}

extension Client {
    static let editor = Client(
        name: ClientName(":1.1"), identity: Identity(uid: 1000, kind: .app, id: "org.example.Editor"))
    static let terminal = Client(
        name: ClientName(":1.2"), identity: Identity(uid: 1000, kind: .executable, id: "/usr/bin/busctl"))
    static let player = Client(
        name: ClientName(":1.3"), identity: Identity(uid: 1000, kind: .app, id: "org.example.Player"))
    static let mail = Client(
        name: ClientName(":1.4"), identity: Identity(uid: 1000, kind: .flatpak, id: "org.example.Mail"))
    static let chat = Client(
        name: ClientName(":1.5"), identity: Identity(uid: 1000, kind: .flatpak, id: "org.example.Chat"))
    /// An application without a decision.
    static let stranger = Client(
        name: ClientName(":1.6"), identity: Identity(uid: 1000, kind: .unknown, id: ""))

    /// Another connection of the same application.
    func reconnected(as name: String) -> Client { Client(name: ClientName(name), identity: identity) }
}

extension NodeName {
    static let builtIn = NodeName("alsa_input.pci")
    static let usb = NodeName("alsa_input.usb")
    static let headset = NodeName("bluez_input.headset")
}

extension AudioFacts {
    /// A built-in microphone, the default.
    static let desk = facts([.builtIn], default: .builtIn)
    static let noSource = facts([], default: nil)

    static func facts(_ names: [NodeName], default defaultSource: NodeName?) -> AudioFacts {
        var sources: [NodeName: Source] = [:]
        for name in names {
            sources[name] = Source(name: name, bus: name == .headset ? "bluetooth" : "pci")
        }
        return AudioFacts(isServerAvailable: true, sources: sources, defaultSource: defaultSource)
    }

    func with(_ captures: OtherCapture...) -> AudioFacts {
        var facts = self
        facts.otherCaptures = captures
        return facts
    }

    static let inCall = desk.with(OtherCapture(role: "Communication"))
}

extension SeatFacts {
    init(isActive: Bool = true, isLocked: Bool) {
        self.init(isActive: isActive, lockedBy: isLocked ? .lockedHint : nil)
    }
}
