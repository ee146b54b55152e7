import DictationCore

/// What an observer knows of a session from the events that went in and the effects that came out.
struct Account: Hashable, Sendable {
    enum Engine: Hashable, Sendable { case none, opening, ready, gone }

    struct Commit: Hashable, Sendable {
        var block: BlockNumber
        /// Nil for one that nobody asked for.
        var call: CallID?
    }

    let id: SessionID
    let client: Client
    let options: StartOptions
    var owner: ClientName?
    let began: Duration
    var isAnnounced = false
    /// The user allowed its connection what was not determined.
    var isAllowedOnce = false

    var wants = true
    var stamp: Int
    var isEnding = false
    var hasInputEnded = false
    var isReading = false
    var hasRead = false

    /// The stream failed and has not flowed since.
    var hasStreamTrouble = false
    /// A stream of this session has failed at some time: microphones may have been passed over.
    var hasEverFailed = false

    var engine = Engine.none
    var hasEngineTrouble = false
    /// All decoders are in use by others.
    var waitsForDecoder = false
    /// What the recogniser takes for the current block.
    var engineBlock: BlockNumber = 0
    var lastProgress: Duration

    var block: BlockNumber = 1
    var texts: [BlockNumber: String] = [:]
    var hypotheses: [BlockNumber: String] = [:]
    var heard: Set<BlockNumber> = []
    var commits: [Commit] = []
    /// Blocks whose text the recogniser has given, or never will: they are finished in this event.
    var settling: Set<BlockNumber> = []
    var lastFinal: BlockNumber = 0

    var lastActivity: Duration
    /// The block that silence has to commit in this event.
    var silentBlock: BlockNumber?
    /// Numbers that are told of it.
    var counts = Counts()
    /// The microphone that it is linked to.
    var link = Link()

    var state = SessionState.idle
    var reasons: Set<Reason> = []
    var pending = 0
    var isInterrupted = false
    var errors = 0
    var toldBlock: BlockNumber = 1
    var toldText = ""
    var toldVolatile = ""
    var isFollowed = true

    init(_ id: SessionID, by client: Client, _ options: StartOptions, stamp: Int, at now: Duration) {
        self.id = id
        self.client = client
        self.options = options
        self.stamp = stamp
        owner = client.name
        began = now
        lastProgress = now
        lastActivity = now
    }

    var usesMicrophone: Bool { !options.hasInput }
    var wantsToListen: Bool { wants && !isEnding }

    func text(_ block: BlockNumber) -> String { texts[block] ?? "" }

    func volatile(_ block: BlockNumber) -> String {
        guard let hypothesis = hypotheses[block], !hypothesis.isEmpty else { return "" }
        return text(block).isEmpty ? hypothesis : " " + hypothesis
    }

    func knows(_ block: BlockNumber) -> Bool {
        block == self.block || commits.contains { $0.block == block }
    }

    mutating func append(_ text: String, to block: BlockNumber) {
        guard !text.isEmpty else { return }
        texts[block] = self.text(block).isEmpty ? text : self.text(block) + " " + text
    }

    /// What the unfinished segment seemed to say is all that will ever be known of it.
    mutating func keepHypothesis(of block: BlockNumber) {
        append(hypotheses[block] ?? "", to: block)
        hypotheses[block] = nil
    }

    mutating func beginNextBlock() { block += 1 }

    mutating func forget(_ block: BlockNumber) {
        texts[block] = nil
        hypotheses[block] = nil
        heard.remove(block)
        counts.forget(block)
    }

    /// No recogniser will say more of what it was asked.
    mutating func settleCommits() {
        for commit in commits {
            keepHypothesis(of: commit.block)
            settling.insert(commit.block)
        }
    }

    /// The session ends: it asked for what cannot be done.
    mutating func failForMistake() {
        engine = .gone
        isEnding = true
        keepHypothesis(of: block)
        settleCommits()
    }

    mutating func loseEngine() {
        engine = .gone
        waitsForDecoder = false
        hasEngineTrouble = true
        keepHypothesis(of: block)
        settleCommits()
    }
}

/// Who may drive whose lingering session, told anew from the design rather than taken from the machine.
enum Group: Hashable, Sendable {
    case desktop
    case sandbox(Identity)
    case alone(ClientName)

    init(_ client: Client) {
        switch client.identity.kind {
        case .app, .executable: self = .desktop
        case .flatpak, .snap: self = .sandbox(client.identity)
        case .unknown: self = .alone(client.name)
        }
    }
}
