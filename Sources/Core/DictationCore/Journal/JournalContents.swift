/// What a journal holds.
public struct JournalContents: Hashable, Sendable {
    /// Sound without a break in it.
    public struct Stretch: Hashable, Sendable {
        var block: BlockNumber
        /// On the block's clock.
        var frame: Int
        public internal(set) var samples: [Int16]

        var end: Int { frame + samples.count }
    }

    public private(set) var session: JournalSession
    /// The oldest block in it.
    public private(set) var block: BlockNumber = 1
    /// In order; of all blocks.
    public private(set) var texts: [JournalText] = []
    /// In order; of all blocks.
    public private(set) var sound: [Stretch] = []
    /// Frames that were lost before the crash.
    public private(set) var droppedFrames = 0
    /// The field into which all of it was typed, as ``JournalLog/setField(_:of:)`` got it; empty if that is not known.
    public private(set) var field = ""
    /// Services that have begun to restore it and have not finished.
    public private(set) var attempts = 0
    /// Whether sound flowed at its end.
    public private(set) var isFlowing = false
    /// Whether sound is missing at its end.
    public private(set) var isFull = false

    /// How long a journal is kept after the end of its service.
    public static let lifetime = Duration.seconds(600)
    /// No more sound than this is written.
    public static let byteLimit = 64 << 20
    /// Nothing more than this is read. Texts are written also when there is no room for sound.
    public static let readLimit = 2 * byteLimit
    /// Default offset of the first record. The anchor at the beginning of the file may give a later one.
    public static let start = 64
    public static let anchorSize = JournalRecord.headerSize

    /// The first bytes of a journal whose records begin at this offset.
    public static func anchor(start: Int) -> [UInt8] {
        JournalRecord(.anchor, of: SessionID(rawValue: 0), frame: start).bytes
    }

    /// The offset of the first record, read from the anchor; nil if the anchor is invalid.
    public static func start(anchor bytes: [UInt8]) -> Int? {
        guard let record = JournalRecord(bytes[...]), record.kind == JournalRecord.Kind.anchor.rawValue,
            let start = Int(exactly: record.frame), start >= Self.start
        else { return nil }
        return start
    }

    /// Reads records up to the first that is torn or damaged. Entries that repeat earlier ones have no effect.
    /// - Returns: nil if there is no session record, or no text and no sound.
    public init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let first = JournalRecord(rest), case .session(let session)? = JournalEntry(first) else {
            return nil
        }
        self.session = session
        rest = rest.dropFirst(first.size)
        var blocks: [Part] = []
        while let record = JournalRecord(rest) {
            rest = rest.dropFirst(record.size)
            guard record.session == session.id.rawValue, let entry = JournalEntry(record) else { continue }
            apply(entry, &blocks)
        }
        guard let first = blocks.first else { return nil }
        block = first.number
        texts = blocks.flatMap(\.texts)
        droppedFrames = blocks.reduce(0) { $0 + $1.dropped }
        sound = blocks.flatMap { part in part.sound.compactMap { $0.from(part.settled) } }
        if texts.isEmpty, sound.isEmpty { return nil }
        let fields = Set(blocks.filter { !$0.texts.isEmpty || !$0.sound.isEmpty }.map(\.field))
        if let only = fields.first, fields.count == 1 { field = only }
    }

    fileprivate struct Part {
        var number: BlockNumber
        var texts: [JournalText] = []
        var settled = 0
        var dropped = 0
        var field = ""
        var sound: [Stretch] = []
        /// The next sound begins a stretch.
        var isCut = false
    }

    private mutating func apply(_ entry: JournalEntry, _ blocks: inout [Part]) {
        switch entry {
        case .session: break
        case .flow(let flows):
            isFlowing = flows
            if !flows, !blocks.isEmpty { blocks[blocks.count - 1].isCut = true }
        case .full: isFull = true
        case .attempt: attempts += 1
        case .text(let number, let position, let settled, let text):
            guard let index = Self.index(of: number, in: &blocks), position == blocks[index].texts.count
            else { return }
            blocks[index].texts.append(text)
            blocks[index].settled = max(blocks[index].settled, settled)
        case .dropped(let number, let frames):
            if let index = Self.index(of: number, in: &blocks) { blocks[index].dropped = frames }
        case .field(let number, let field):
            if let index = Self.index(of: number, in: &blocks) { blocks[index].field = field }
        case .sound(let number, let frame, let samples):
            guard let index = Self.index(of: number, in: &blocks) else { return }
            blocks[index].append(frame, samples)
        }
    }

    /// More than commits that can be in progress.
    private static let blockLimit = 256

    /// Blocks come in their order.
    private static func index(of number: BlockNumber, in blocks: inout [Part]) -> Int? {
        if let index = blocks.firstIndex(where: { $0.number == number }) { return index }
        guard number > blocks.last?.number ?? 0, blocks.count < blockLimit else { return nil }
        blocks.append(Part(number: number))
        return blocks.count - 1
    }

    /// Sound that was taken from the microphone and is not in the texts.
    public var frames: Int { sound.reduce(0) { $0 + $1.samples.count } }
}

extension JournalContents.Part {
    fileprivate mutating func append(_ frame: Int, _ samples: [Int16]) {
        let end = sound.last?.end ?? frame
        let new = samples.dropFirst(max(0, end - frame))
        guard !new.isEmpty else { return }
        let position = max(frame, end)
        if let last = sound.indices.last, position == end, !isCut {
            sound[last].samples += new
        } else {
            sound.append(.init(block: number, frame: position, samples: Array(new)))
        }
        isCut = false
    }
}

extension JournalContents.Stretch {
    /// Without the sound before this frame; nil if there is no other.
    fileprivate func from(_ first: Int) -> Self? {
        guard end > first else { return nil }
        var rest = self
        rest.samples.removeFirst(max(0, first - frame))
        rest.frame = max(frame, first)
        return rest
    }
}
