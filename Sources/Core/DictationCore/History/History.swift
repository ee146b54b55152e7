/// The last texts of a user: what is kept, for how long, and what is erased first.
///
/// The time is an argument, in seconds since 1970. The holder writes it to the disk after a change, with the sound of the
/// entries that have some, and erases all other sound.
public struct History: Hashable, Sendable {
    /// What the user has chosen.
    public struct Settings: Hashable, Sendable {
        /// Zero: nothing is kept.
        public var lifetime: Duration
        public var keepsSound: Bool

        public init(lifetime: Duration = .zero, keepsSound: Bool = false) {
            self.lifetime = lifetime
            self.keepsSound = keepsSound
        }

        public var isOn: Bool { lifetime > .zero }
        fileprivate var seconds: Int64 { lifetime.components.seconds }
    }

    /// Beyond these the oldest texts are erased.
    public static let countLimit = 1000
    /// Of all texts, in bytes of UTF-8.
    public static let sizeLimit = 2 << 20
    /// Of all sound, in frames: 64 MiB. Beyond it the oldest sound is erased; its text stays.
    public static let frameLimit = 32 << 20

    public private(set) var settings: Settings
    /// The oldest first.
    public private(set) var entries: [HistoryEntry]
    /// The highest number of an entry so far.
    public private(set) var lastID: HistoryEntry.ID

    public init(settings: Settings = Settings(), entries: [HistoryEntry] = [], lastID: HistoryEntry.ID = 0) {
        self.settings = settings
        self.entries = entries.sorted { $0.id < $1.id }
        self.lastID = max(lastID, self.entries.last?.id ?? 0)
    }

    /// The applications that dictated the texts.
    public var identities: Set<Identity> { Set(entries.map(\.identity)) }

    public subscript(id: HistoryEntry.ID) -> HistoryEntry? {
        index(of: id).map { entries[$0] }
    }

    private func index(of id: HistoryEntry.ID) -> Int? { entries.firstIndex { $0.id == id } }

    /// The last entries, the newest first.
    /// - Parameter id: only those before it; nil: all.
    public func last(_ count: Int, before id: HistoryEntry.ID?) -> [HistoryEntry] {
        Array(entries.reversed().lazy.filter { $0.id < id ?? .max }.prefix(count))
    }

    /// Turning it off erases all. A shorter time counts for what is kept already.
    public mutating func use(_ settings: Settings, at now: Int64) {
        self.settings = settings
        if !settings.keepsSound { for index in entries.indices { entries[index].frames = 0 } }
        expire(at: now)
        // A file may have more than was ever written.
        limit()
    }

    /// Takes a final text, or the rest of one that was taken back.
    /// - Parameter frames: the length of its sound, if there is any.
    /// - Returns: the number of a new entry.
    @discardableResult
    public mutating func keep(_ text: KeptText, frames: Int = 0, at now: Int64) -> HistoryEntry.ID? {
        expire(at: now)
        let source = HistoryEntry.Source(session: text.session, block: text.block)
        if let index = entries.lastIndex(where: { $0.source == source }) {
            if text.text.isEmpty { entries.remove(at: index) } else { entries[index].text = text.text }
            return nil
        }
        // The rest of a text that the user has erased, or has replaced, is not wanted.
        guard settings.isOn, !text.isRest, !text.text.isEmpty else { return nil }
        lastID += 1
        entries.append(
            HistoryEntry(
                id: lastID, time: now, identity: text.identity, application: text.application,
                language: text.language, engine: text.engine, text: text.text, original: nil,
                frames: settings.keepsSound ? frames : 0, source: source))
        limit()
        return index(of: lastID) == nil ? nil : lastID
    }

    /// An entry was recognised again.
    public mutating func replace(_ id: HistoryEntry.ID, by text: String, engine: String, language: String) {
        guard let index = index(of: id) else { return }
        entries[index].original = entries[index].original ?? entries[index].text
        entries[index].text = text
        entries[index].engine = engine
        entries[index].language = language
        // Its session does not change it any more.
        entries[index].source = nil
        limit()
    }

    /// The sound of an entry could not be kept, or is lost.
    public mutating func loseSound(of id: HistoryEntry.ID) {
        if let index = index(of: id) { entries[index].frames = 0 }
    }

    /// - Returns: how many there were.
    public mutating func forget(_ ids: Set<HistoryEntry.ID>) -> Int {
        remove { ids.contains($0.id) }
    }

    /// The application may not dictate any more.
    public mutating func forget(_ identity: Identity) {
        _ = remove { $0.identity == identity }
    }

    /// - Returns: how many there were.
    public mutating func clear() -> Int { remove { _ in true } }

    private mutating func remove(where isRemoved: (HistoryEntry) -> Bool) -> Int {
        let before = entries.count
        entries.removeAll(where: isRemoved)
        return before - entries.count
    }

    // MARK: Bounds

    /// Erases what is too old.
    public mutating func expire(at now: Int64) {
        // After the clock was set back, an entry counts as made now: it must not stay for longer than was chosen.
        for index in entries.indices where entries[index].time > now { entries[index].time = now }
        let seconds = settings.seconds
        entries.removeAll { now - $0.time >= seconds }
    }

    /// When the next entry is too old; nil if there is none.
    public var nextExpiry: Int64? { entries.map(\.time).min().map { $0 + settings.seconds } }

    private mutating func limit() {
        var size = entries.reduce(0) { $0 + $1.size }
        while let first = entries.first, entries.count > Self.countLimit || size > Self.sizeLimit {
            size -= first.size
            entries.removeFirst()
        }
        var frames = entries.reduce(0) { $0 + $1.frames }
        for index in entries.indices where frames > Self.frameLimit {
            frames -= entries[index].frames
            entries[index].frames = 0
        }
    }
}
