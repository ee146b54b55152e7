import DictationCore

/// What an observer knows of a session from the events that went in and the effects that came out.
struct SessionRecord: Hashable, Sendable {
    enum Engine: Hashable, Sendable { case none, opening, ready, gone }

    struct Commit: Hashable, Sendable {
        var block: BlockNumber
        /// Nil where nobody waits for it.
        var call: CallID?
        /// Nobody asked for it.
        var isAutomatic = false
    }

    /// A finished block.
    struct Final: Hashable, Sendable {
        var block: BlockNumber
        var text: Text
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
    /// Microphones that refused or delivered nothing. Others are used until these have gone and come back, or are asked
    /// for again.
    var failedMicrophones: Set<NodeName> = []

    var engine = Engine.none
    var hasEngineTrouble = false
    /// All decoders are in use by others.
    var waitsForDecoder = false
    /// What the recogniser takes for the current block.
    var engineBlock: BlockNumber = 0
    var lastProgress: Duration

    var block: BlockNumber = 1
    var texts: [BlockNumber: Text] = [:]
    /// The last that were finished, the newest last.
    var finals: [Final] = []
    var heard: Set<BlockNumber> = []
    var commits: [Commit] = []
    /// Blocks whose text the recogniser has given, or never will: they are finished in this event.
    var settling: Set<BlockNumber> = []
    var lastFinal: BlockNumber = 0

    var lastActivity: Duration
    /// The block that has to be committed in this event: by silence, or because the user said so.
    var dueCommit: BlockNumber?
    /// A phrase of the client's that was said in this event and not told yet.
    var owedCommand: String?
    /// Finished blocks of which text was taken back, and that was not told yet.
    var owedRetractions: Set<BlockNumber> = []
    /// Numbers that are told of it.
    var counts = Counts()
    /// The microphone that it is linked to.
    var link = Link()

    var state = SessionState.idle
    var reasons: Set<Reason> = []
    var pending = 0
    var interruption: Interruption?
    var errors = 0
    var toldBlock: BlockNumber = 1
    var toldText = ""
    var toldVolatile = ""
    /// Of blocks that were committed, as long as they have no Final.
    var toldEarlier: [BlockNumber: String] = [:]
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

    var isInterrupted: Bool { interruption != nil }

    /// Words become text as people write it.
    var isWritten: Bool { options.formatting != nil }

    func text(_ block: BlockNumber) -> String { texts[block]?.stable(isWritten: isWritten) ?? "" }

    func volatile(_ block: BlockNumber) -> String { texts[block]?.volatile(isWritten: isWritten) ?? "" }

    func knows(_ block: BlockNumber) -> Bool {
        block == self.block || commits.contains { $0.block == block }
    }

    /// What the unfinished segment seemed to say is all that will ever be known of it, and so is what the preview
    /// engine understood.
    mutating func keepVolatileText(of block: BlockNumber) { texts[block]?.keepVolatile() }

    /// What a client was told of the text of a block.
    func told(_ block: BlockNumber) -> String {
        block == toldBlock ? toldText : toldEarlier[block] ?? ""
    }

    mutating func tell(_ text: String, of block: BlockNumber) {
        if block == toldBlock { toldText = text } else { toldEarlier[block] = text }
    }

    mutating func beginTelling(_ block: BlockNumber) {
        guard block != toldBlock else { return }
        toldEarlier[toldBlock] = toldText
        toldBlock = block
        toldText = ""
        toldVolatile = ""
    }

    mutating func keep(_ block: BlockNumber) {
        finals = (finals + [Final(block: block, text: texts[block] ?? Text())]).suffix(16)
    }

    mutating func beginNextBlock() { block += 1 }

    mutating func forget(_ block: BlockNumber) {
        texts[block] = nil
        toldEarlier[block] = nil
        heard.remove(block)
        counts.forget(block)
    }

    /// No recogniser will say more of what it was asked.
    mutating func settleCommits() {
        for commit in commits {
            keepVolatileText(of: commit.block)
            settling.insert(commit.block)
        }
    }

    /// The session ends: it asked for what cannot be done.
    mutating func failForMistake() {
        engine = .gone
        isEnding = true
        keepVolatileText(of: block)
        settleCommits()
    }

    mutating func loseEngine() {
        engine = .gone
        waitsForDecoder = false
        hasEngineTrouble = true
        keepVolatileText(of: block)
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
