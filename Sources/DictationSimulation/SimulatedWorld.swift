import DictationCore

/// What surrounds the machine: it carries out effects as adapters do, and says what a step means as things are.
struct SimulatedWorld: Hashable, Sendable {
    static let segmentFailure = "the segment failed"

    /// A recogniser as the session sees it: what it owes, in order.
    struct Recogniser: Hashable, Sendable {
        var isReady = false
        var block: BlockNumber
        var owed: [BlockNumber] = []
        /// The block whose sound it is at.
        var at: BlockNumber { owed.first ?? block }
    }

    private var generations = [Int](repeating: 0, count: Clients.count)
    static let calmAudio = AudioFacts(
        isServerAvailable: true, sources: [Sources.name(0): Source(name: Sources.name(0))],
        defaultSource: Sources.name(0))
    var audio = calmAudio
    /// Nil until logind has answered.
    var seat: SeatFacts?
    /// The clients whose permission was taken away.
    var revoked: Set<Int> = []
    var isCongested = false
    var capture: (CaptureID, target: NodeName?)? {
        get { openCapture.map { ($0, openTarget) } }
        set {
            openCapture = newValue?.0
            openTarget = newValue?.target
        }
    }
    private var openCapture: CaptureID?
    private var openTarget: NodeName?
    var isFlowing = false
    private(set) var lastCapture: UInt64 = 0
    var sessions: [SessionID] = []
    var recognisers: [SessionID: Recogniser] = [:]
    private var lastCall: UInt64 = 0
    private var lastSession: UInt64 = 0
    private var spoken = 0
    var players = [Players.name(0): Player(owner: ClientName(":2.0"), status: .playing)]
    private var playerGeneration = 0
    /// What each player was asked and has not done.
    var asked: [PlayerName: Player.Status] = [:]

    mutating func carryOut(_ effect: Effect) {
        switch effect {
        case .openCapture(let id, _, let target):
            capture = (id, target)
            lastCapture = max(lastCapture, id.rawValue)
            isFlowing = false
        case .closeCapture: capture = nil
        case .openTranscriber(let id, _, let block):
            if !sessions.contains(id) { sessions.append(id) }
            recognisers[id] = Recogniser(block: block)
        case .transcriber(let id, .endBlock(let block)):
            recognisers[id]?.owed.append(block)
            recognisers[id]?.block += 1
        case .transcriber(let id, .discardBlock): recognisers[id]?.block += 1
        case .discard(let id):
            recognisers[id] = nil
        default: break
        }
    }

    mutating func carryOut(_ effect: PlaybackMachine.Effect) {
        switch effect {
        case .pause(let name, _): asked[name] = .paused
        case .play(let name, _): asked[name] = .playing
        }
    }

    func client(_ index: Int) -> Client {
        Client(name: ClientName(":1.\(index + 1).\(generations[index])"), identity: Clients.identities[index])
    }

    mutating func vanish(_ index: Int) -> ClientName {
        defer { generations[index] += 1 }
        return client(index).name
    }

    /// One of the last sessions, whether it still is or not.
    func session(_ index: Int) -> SessionID? {
        index < sessions.count ? sessions[sessions.count - 1 - index] : nil
    }

    mutating func call(_ request: Request, from client: Client) -> Event {
        lastCall += 1
        return .call(CallID(rawValue: lastCall), from: client, request)
    }

    mutating func nextSession() -> SessionID {
        lastSession += 1
        return SessionID(rawValue: lastSession)
    }

    mutating func nextText() -> String {
        spoken += 1
        return ["wörd\(spoken)", "e\u{301}\(spoken) 👩‍🚀", "a longer phrase \(spoken)"][spoken % 3]
    }

    mutating func nextOwner() -> ClientName {
        playerGeneration += 1
        return ClientName(":2.\(playerGeneration)")
    }
}
