/// The session of a journal.
public struct JournalSession: Hashable, Sendable {
    public var id: SessionID
    public var client: Client
    /// The bus that the client's name belongs to, by its GUID.
    public var bus: String
    public var lingers: Bool
    /// Start's options, encoded by the service.
    public var options: [UInt8]

    public init(id: SessionID, client: Client, bus: String, lingers: Bool, options: [UInt8]) {
        self.id = id
        self.client = client
        self.bus = bus
        self.lingers = lingers
        self.options = options
    }
}

/// An entry of a journal.
enum JournalEntry: Hashable {
    case session(JournalSession)
    /// Sound from this frame of the block on.
    case sound(BlockNumber, frame: Int, [Int16])
    /// The text of this number in its block, from 0. The sound before the frame `settled` is not needed any more.
    case text(BlockNumber, number: Int, settled: Int, JournalText)
    /// Whether sound flows from here on.
    case flow(Bool)
    /// Sound after this is missing.
    case full
    /// Before a service restores the session.
    case attempt
    /// How many frames of the block were lost so far.
    case dropped(BlockNumber, frames: Int)
    /// The field into which the block is typed; empty if it is not known.
    case field(BlockNumber, String)

    func record(of session: SessionID) -> JournalRecord {
        switch self {
        case .session(let session): JournalRecord(.session, of: session.id, .bytes(session.payload))
        case .sound(let block, let frame, let samples):
            JournalRecord(.sound, of: session, block: block, frame: frame, .samples(samples))
        case .text(let block, let number, let settled, let text):
            JournalRecord(
                .text, of: session, block: block, frame: number, .bytes(text.payload(settled: settled)))
        case .flow(let flows): JournalRecord(.flow, of: session, frame: flows ? 1 : 0)
        case .full: JournalRecord(.full, of: session)
        case .attempt: JournalRecord(.attempt, of: session)
        case .dropped(let block, let frames):
            JournalRecord(.dropped, of: session, block: block, frame: frames)
        case .field(let block, let field):
            JournalRecord(.field, of: session, block: block, .bytes(Array(field.utf8)))
        }
    }

    /// Takes a record that was read. Nil for an unknown kind and for a payload that is not valid.
    init?(_ record: JournalRecord) {
        guard let kind = JournalRecord.Kind(rawValue: record.kind),
            let frame = Int(exactly: record.frame), frame <= JournalReader.frameLimit,
            record.block <= JournalReader.frameLimit, case .bytes(let payload) = record.payload
        else { return nil }
        var reader = JournalReader(payload[...])
        switch kind {
        case .anchor: return nil
        case .session:
            guard let session = JournalSession(SessionID(rawValue: record.session), &reader) else {
                return nil
            }
            self = .session(session)
        case .sound:
            guard let samples = reader.samples() else { return nil }
            self = .sound(record.block, frame: frame, samples)
        case .text:
            guard let settled = reader.uint64().flatMap(Int.init(exactly:)),
                settled <= JournalReader.frameLimit,
                let text = JournalText(&reader)
            else { return nil }
            self = .text(record.block, number: frame, settled: settled, text)
        case .flow: self = .flow(frame == 1)
        case .full: self = .full
        case .attempt: self = .attempt
        case .dropped: self = .dropped(record.block, frames: frame)
        case .field: self = .field(record.block, String(decoding: payload, as: UTF8.self))
        }
    }
}

extension JournalSession {
    fileprivate var payload: [UInt8] {
        var writer = JournalWriter()
        writer.put(client.identity.uid)
        writer.put(client.identity.kind.rawValue)
        writer.put(client.identity.id.rawValue)
        writer.put(client.name.rawValue)
        writer.put(bus)
        writer.put(UInt32(lingers ? 1 : 0))
        writer.put(options)
        return writer.bytes
    }

    fileprivate init?(_ id: SessionID, _ reader: inout JournalReader) {
        guard let uid = reader.uint32(), let kind = reader.string().flatMap(Identity.Kind.init(rawValue:)),
            let identity = reader.string(), let name = reader.string(), let bus = reader.string(),
            let lingers = reader.uint32(), let options = reader.data()
        else { return nil }
        self.init(
            id: id,
            client: Client(name: ClientName(name), identity: Identity(uid: uid, kind: kind, id: identity)),
            bus: bus, lingers: lingers == 1, options: options)
    }
}

extension JournalText {
    fileprivate func payload(settled: Int) -> [UInt8] {
        var writer = JournalWriter()
        writer.put(UInt64(clamping: settled))
        var flags: UInt32 = (isPunctuated ? 1 : 0) | (isLost ? 2 : 0) | (segment.isCut ? 4 : 0)
        if language != nil { flags |= 8 }
        writer.put(flags)
        writer.put(segment.text)
        writer.put(segment.start)
        writer.put(segment.end)
        writer.put(UInt32(segment.words.count))
        for word in segment.words {
            writer.put(word.text)
            writer.put(word.start)
            writer.put(word.end)
            writer.put(word.confidence ?? .nan)
        }
        writer.put(UInt32(segment.alternatives.count))
        for alternative in segment.alternatives {
            writer.put(alternative.text)
            writer.put(alternative.score)
        }
        if let language { writer.put(language) }
        return writer.bytes
    }

    fileprivate init?(_ reader: inout JournalReader) {
        guard let flags = reader.uint32(), let text = reader.text(), let start = reader.time(),
            let end = reader.time(), let wordCount = reader.uint32()
        else { return nil }
        var segment = Segment(text: text, start: start, end: end, isCut: flags & 4 != 0)
        // A count that is too large fails at the end of the payload.
        for _ in 0..<wordCount {
            guard let text = reader.text(), let start = reader.time(), let end = reader.time(),
                let confidence = reader.double()
            else { return nil }
            segment.words.append(
                Word(text, start: start, end: end, confidence: confidence.isNaN ? nil : confidence))
        }
        guard let alternativeCount = reader.uint32() else { return nil }
        for _ in 0..<alternativeCount {
            guard let text = reader.text(), let score = reader.double(), score.isFinite else { return nil }
            segment.alternatives.append(Alternative(text, score: score))
        }
        var language: String?
        if flags & 8 != 0 {
            guard let tag = reader.string() else { return nil }
            language = tag
        }
        self.init(
            segment, isPunctuated: flags & 1 != 0, isLost: flags & 2 != 0, language: language)
    }
}
