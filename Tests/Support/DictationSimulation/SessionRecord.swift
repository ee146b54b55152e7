import DictationCore

/// What is known about a session from events and effects.
struct SessionRecord: Hashable, Sendable {
    enum Engine: Hashable, Sendable { case none, opening, ready, gone }

    struct Commit: Hashable, Sendable {
        var block: BlockNumber
        /// Nil if no caller waits for it.
        var call: CallID?
        /// Committed automatically.
        var isAutomatic = false
        /// Its text is complete, and waits for permission to be sent.
        var isSettled = false
        /// Its call was refused, because permission was lost.
        var wasRefused = false
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
    /// What the user allowed its connection for one time.
    var allowedOnce: Set<Resource> = []

    var wants = true
    var stamp: Int
    var isEnding = false
    /// A call or the service ends it: what is committed does not wait for permission.
    var endsAtOnce = false
    /// The service ends, and nobody reads its text: it waits for the next service.
    var mustBeLeft = false
    /// An Error said that committed text was not sent.
    var lossSent = false
    var hasInputEnded = false
    var isReading = false
    /// The last ProblemsChanged.
    var problems: [InputProblem] = []
    var hasRead = false

    /// The stream failed and has not delivered since.
    var hasStreamTrouble = false
    /// Microphones that failed or delivered nothing. Others are used until these return or are requested again.
    var failedMicrophones: Set<NodeName> = []

    var engine = Engine.none
    var hasEngineTrouble = false
    /// All decoders are in use by other sessions.
    var waitsForDecoder = false
    /// The recogniser's current block.
    var engineBlock: BlockNumber = 0
    var lastProgress: Duration

    var block: BlockNumber = 1
    var texts: [BlockNumber: Text] = [:]
    /// The last finished blocks, the newest last.
    var finals: [Final] = []
    var heard: Set<BlockNumber> = []
    /// Blocks with speech.
    var spoken: Set<BlockNumber> = []
    var commits: [Commit] = []
    /// Blocks whose text is complete: they must be finished in this event.
    var settling: Set<BlockNumber> = []
    var lastFinal: BlockNumber = 0

    var lastActivity: Duration
    /// The block that must be committed in this event, after silence or by voice.
    var dueCommit: BlockNumber?
    /// A phrase of the client that was said in this event and is not signalled yet.
    var owedCommand: String?
    /// Finished blocks whose text was taken back and that were not signalled yet.
    var owedRetractions: Set<BlockNumber> = []
    /// The numbers that it should report.
    var counts = Counts()
    /// The microphone that it is linked to.
    var link = Link()

    var state = SessionState.idle
    var reasons: Set<Reason> = []
    var pending = 0
    var interruption: Interruption?
    var errors = 0
    var sentBlock: BlockNumber = 1
    var sentText = ""
    var sentVolatile = ""
    /// Blocks that were committed and have no Final yet.
    var sentEarlier: [BlockNumber: String] = [:]
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

    /// Whether its words become written form.
    var isWritten: Bool { options.formatting != nil }

    func text(_ block: BlockNumber) -> String { texts[block]?.stable(isWritten: isWritten) ?? "" }

    func volatile(_ block: BlockNumber) -> String { texts[block]?.volatile(isWritten: isWritten) ?? "" }

    func knows(_ block: BlockNumber) -> Bool {
        block == self.block || commits.contains { $0.block == block && !$0.isSettled }
    }

    var hasUndecodedCommits: Bool { commits.contains { !$0.isSettled } }

    /// The recogniser is gone: the last hypothesis and the preview are all that is known of the unfinished segment.
    mutating func keepVolatileText(of block: BlockNumber) { texts[block]?.keepVolatile() }

    /// The text of a block that a client has received.
    func sent(_ block: BlockNumber) -> String {
        block == sentBlock ? sentText : sentEarlier[block] ?? ""
    }

    mutating func setSent(_ text: String, of block: BlockNumber) {
        if block == sentBlock { sentText = text } else { sentEarlier[block] = text }
    }

    mutating func beginSending(_ block: BlockNumber) {
        guard block != sentBlock else { return }
        sentEarlier[sentBlock] = sentText
        sentBlock = block
        sentText = ""
        sentVolatile = ""
    }

    mutating func keep(_ block: BlockNumber) {
        finals = (finals + [Final(block: block, text: texts[block] ?? Text())]).suffix(16)
    }

    mutating func beginNextBlock() { block += 1 }

    mutating func forget(_ block: BlockNumber) {
        texts[block] = nil
        sentEarlier[block] = nil
        heard.remove(block)
        spoken.remove(block)
        counts.forget(block)
    }

    /// The recogniser will not answer pending commands.
    mutating func settleCommits() {
        for commit in commits where !commit.isSettled {
            keepVolatileText(of: commit.block)
            settling.insert(commit.block)
        }
    }

    /// The session ends, because its request cannot be carried out.
    mutating func failForMistake() {
        engine = .gone
        isEnding = true
        endsAtOnce = true
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

/// Who may control which lingering session, from the design and not from the machine.
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
