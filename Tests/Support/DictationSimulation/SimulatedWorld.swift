import DictationCore

/// The surroundings of the machine: carries out effects like adapters, and converts steps to events.
struct SimulatedWorld: Hashable, Sendable {
    static let segmentFailure = "the segment failed"
    static let engineFailure = "the engine of the final text failed"
    /// 20 ms.
    static let heldFrames = 320

    /// A recogniser as seen by the session: its pending commands, in order.
    struct Recogniser: Hashable, Sendable {
        var isReady = false
        var block: BlockNumber
        var owed: [BlockNumber] = []
        /// Whether another engine makes the final text.
        var hasSecondPass = false
        /// The block of its audio.
        var at: BlockNumber { owed.first ?? block }
    }

    private var generations = [Int](repeating: 0, count: Clients.count)
    static let calmAudio = AudioFacts(
        isServerAvailable: true, sources: [Sources.name(0): Sources.source(0)],
        defaultSource: Sources.name(0))
    var audio = calmAudio
    /// Nil before logind's first answer.
    var seat: SeatFacts?
    /// The clients whose permission was revoked.
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
    /// Streams that were closed while they were opening, without a result yet.
    var lateCaptures: [CaptureID] = []
    /// Events that adapters send right after the present event.
    var deliveries: [Event] = []
    private(set) var lastCapture: UInt64 = 0
    var sessions: [SessionID] = []
    private var ended: Set<SessionID> = []
    var recognisers: [SessionID: Recogniser] = [:]
    private var lastCall: UInt64 = 0
    private var lastSession: UInt64 = 0
    private(set) var spoken = 0
    var players = [Players.name(0): Player(owner: ClientName(":2.0"), status: .playing)]
    private var playerGeneration = 0
    /// The pending commands of each player.
    var asked: [PlayerName: Player.Status] = [:]

    mutating func carryOut(_ effect: Effect) {
        switch effect {
        case .openCapture(let id, _, let target):
            capture = (id, target)
            lastCapture = max(lastCapture, id.rawValue)
            isFlowing = false
        case .closeCapture(let id, let session):
            capture = nil
            // A stream's buffered audio still goes to the recogniser after closing. A stream that is opening continues.
            if isFlowing {
                deliveries.append(.captured(session, frames: Self.heldFrames))
            } else {
                lateCaptures.append(id)
            }
        case .openTranscription(let id, let request, let block):
            if !sessions.contains(id) { sessions.append(id) }
            recognisers[id] = Recogniser(block: block, hasSecondPass: request.previewEngine != nil)
        case .transcription(let id, .endBlock(let block)):
            recognisers[id]?.owed.append(block)
            recognisers[id]?.block += 1
        case .transcription(let id, .discardBlock): recognisers[id]?.block += 1
        case .discard(let id), .leave(let id, _):
            recognisers[id] = nil
            ended.insert(id)
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

    /// A session by index: the last ones that exist come first, then ended ones.
    func session(_ index: Int) -> SessionID? {
        let (over, there) = (sessions.filter(ended.contains), sessions.filter { !ended.contains($0) })
        let ordered = Array((over + there).reversed())
        return index < ordered.count ? ordered[index] : nil
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
