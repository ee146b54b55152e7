/// The file of a ``History``: a header and the entries, each with a checksum. Integers are little-endian.
///
/// | part | |
/// |---|---|
/// | 8 bytes | "DictHis1" |
/// | 8 bytes | the highest number of an entry so far |
/// | for each entry: 4 bytes | the length of what follows the checksum |
/// | 4 bytes | its CRC-32C |
/// | | id, time, frames, kind, id of the application, its window's application, language, engine, text, original |
public struct HistoryContents: Hashable, Sendable {
    public var entries: [HistoryEntry]
    public var lastID: HistoryEntry.ID
    /// Bytes that could not be read.
    public private(set) var isDamaged = false

    private static let header = Array("DictHis1".utf8)
    /// In bytes. No longer file is read.
    public static let readLimit = 2 * History.sizeLimit + 1024 * History.countLimit

    /// So that there are always higher numbers.
    private static let greatestID: HistoryEntry.ID = 1 << 62

    public init(_ history: History) {
        entries = history.entries
        lastID = history.lastID
    }

    public var bytes: [UInt8] {
        var writer = JournalWriter()
        for byte in Self.header { writer.put(byte) }
        writer.put(lastID)
        for entry in entries {
            let bytes = entry.bytes
            writer.put(UInt32(bytes.count))
            writer.put(Checksum.of(bytes[...]))
            for byte in bytes { writer.put(byte) }
        }
        return writer.bytes
    }

    /// Nil if it is no such file. Entries that are damaged are left out.
    /// - Parameter uid: the user of the applications.
    public init?(_ bytes: [UInt8], uid: UInt32) {
        guard bytes.starts(with: Self.header) else { return nil }
        var reader = JournalReader(bytes.dropFirst(Self.header.count))
        guard let last = reader.uint64(), last <= Self.greatestID else { return nil }
        lastID = last
        entries = []
        var ids: Set<HistoryEntry.ID> = []
        while let length = reader.uint32() {
            guard let checksum = reader.uint32(), let payload = reader.bytes(Int(length)) else {
                isDamaged = true
                break
            }
            guard Checksum.of(payload) == checksum, let entry = HistoryEntry(payload, uid: uid),
                entry.id <= last, ids.insert(entry.id).inserted
            else {
                isDamaged = true
                continue
            }
            entries.append(entry)
        }
    }
}

extension HistoryEntry {
    fileprivate var bytes: [UInt8] {
        var writer = JournalWriter()
        writer.put(id)
        writer.put(UInt64(bitPattern: time))
        writer.put(UInt64(frames))
        writer.put(identity.kind.rawValue)
        writer.put(identity.id.rawValue)
        writer.put(application ?? "")
        writer.put(language)
        writer.put(engine)
        writer.put(text)
        // An original text has at least a character.
        writer.put(original ?? "")
        return writer.bytes
    }

    fileprivate init?(_ bytes: ArraySlice<UInt8>, uid: UInt32) {
        var reader = JournalReader(bytes)
        guard let id = reader.uint64(), let time = reader.uint64().map(Int64.init(bitPattern:)), time >= 0,
            time < 1 << 40, let frames = reader.uint64(), frames <= UInt64(History.frameLimit),
            let kind = reader.text().flatMap(Identity.Kind.init(rawValue:)), let application = reader.text(),
            let window = reader.text(), let language = reader.text(), let engine = reader.text(),
            let text = reader.text(), let original = reader.text()
        else { return nil }
        self.init(
            id: id, time: time, identity: Identity(uid: uid, kind: kind, id: application),
            application: window.isEmpty ? nil : window, language: language, engine: engine, text: text,
            original: original.isEmpty ? nil : original, frames: Int(frames))
    }
}
