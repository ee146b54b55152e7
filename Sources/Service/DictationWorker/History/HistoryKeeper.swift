import DictationCore
import EventLoop
import Glibc
import HistoryFiles
import Logging

/// A user's ``History`` and its folder. After each change the folder gets all of it. One thread at a time works on the folder.
@EventLoopActor
final class HistoryKeeper {
    /// What is known of the folder.
    private enum Disk {
        case unread
        /// It is neither shown nor written.
        case unreadable
        case has(HistoryFolder.Contents)

        func hasSound(of id: HistoryEntry.ID) -> Bool {
            guard case .has(let contents) = self else { return false }
            return contents.history[id]?.frames ?? 0 > 0
        }
    }

    private(set) var history = History()
    private let folder: HistoryFolder
    /// Nil until the user's settings are known. Without them the folder is not read, and nothing is kept.
    private var settings: History.Settings?
    private let logger: Logger
    private var disk = Disk.unread
    /// The sound of entries that is not on the disk yet.
    private var sounds: [HistoryEntry.ID: [Int16]] = [:]
    /// Texts that came before the folder was read, with their sound.
    private var early: [(text: KeptText, sound: [Int16])] = []
    /// What a thread does with the folder.
    private var work: Task<Void, Never>?
    /// Those who wait for the present history to be on the disk.
    private var waiters: [CheckedContinuation<String?, Never>] = []
    private var expiry: EventLoop.Timer?
    private var changed: @EventLoopActor () -> Void = {}

    init(in folder: HistoryFolder, logger: Logger) {
        self.folder = folder
        self.logger = logger
    }

    /// - Parameter changed: called after each change of the entries, and when ``isBusy`` may have changed.
    func begin(_ changed: @escaping @EventLoopActor () -> Void) {
        self.changed = changed
        store(history)
    }

    /// The folder is being read, or does not have everything yet.
    var isBusy: Bool { work != nil }

    /// Returns when the folder is read, if the settings are known, and has everything.
    func settle() async {
        while let work { await work.value }
    }

    /// Returns when the folder has everything. Nothing expires after that.
    func end() async {
        expiry.take()?.cancel()
        await settle()
        expiry.take()?.cancel()
    }

    private static var now: Int64 { Int64(time(nil)) }

    private func change(_ body: (inout History) -> Void) {
        var history = history
        body(&history)
        store(history)
    }

    private func store(_ new: History) {
        let hasChanged = new.entries != history.entries
        history = new
        sounds = sounds.filter { history[$0.key]?.frames ?? 0 > 0 }
        schedule()
        write()
        if hasChanged { changed() }
    }

    // MARK: Changes

    /// The user's settings are known, or have changed.
    func use(_ settings: History.Settings) {
        guard settings != self.settings else { return }
        self.settings = settings
        switch disk {
        case .unread: read()
        case .unreadable, .has: change { $0.use(settings, at: Self.now) }
        }
    }

    /// - Parameter sound: of the text; empty if it is not known.
    func keep(_ text: KeptText, _ sound: [Int16]) {
        switch disk {
        case .unread:
            // While it is read. Without settings nothing is kept.
            if settings != nil, early.count < History.countLimit { early.append((text, sound)) }
        case .unreadable: break
        case .has: change { keep(text, sound, in: &$0) }
        }
    }

    private func keep(_ text: KeptText, _ sound: [Int16], in history: inout History) {
        if let id = history.keep(text, frames: sound.count, at: Self.now), history[id]?.frames ?? 0 > 0 {
            sounds[id] = sound
        }
    }

    /// The last entries that are not too old.
    func last(_ count: Int, before id: HistoryEntry.ID?) -> [HistoryEntry] {
        expire()
        return history.last(count, before: id)
    }

    func entry(_ id: HistoryEntry.ID) -> HistoryEntry? {
        expire()
        return history[id]
    }

    /// The path of an entry's sound, once it is on the disk.
    func sound(of entry: HistoryEntry) -> String? {
        guard entry.frames > 0, disk.hasSound(of: entry.id) else { return nil }
        return folder.sound(of: entry.id)
    }

    /// The same. Returns when the sound is on the disk, or could not be written.
    func writtenSound(of entry: HistoryEntry) async -> String? {
        // What has begun may not have it; what follows that has.
        for _ in 0..<2 where sounds[entry.id] != nil { await work?.value }
        return sound(of: entry)
    }

    func replace(_ id: HistoryEntry.ID, by text: String, engine: String, language: String) {
        change { $0.replace(id, by: text, engine: engine, language: language) }
    }

    /// The application may not dictate any more.
    func forget(_ identity: Identity) {
        early.removeAll { $0.text.identity == identity }
        change { $0.forget(identity) }
    }

    /// - Returns: how many there were, when they are gone from the disk.
    func forget(_ ids: Set<HistoryEntry.ID>) async throws(Refusal) -> Int {
        await waitUntilRead()
        guard case .has = disk else {
            throw Refusal(
                .fileWrite,
                "The history cannot be read, or the settings have an error: 'dictation-cli doctor' shows it, and "
                    + "'dictation-cli history forget --all' erases all texts.")
        }
        var count = 0
        change { count = $0.forget(ids) }
        try await written()
        return count
    }

    /// Erases the folder, also one that is not read.
    /// - Returns: how many texts there were, as far as they could be read.
    func clear() async throws(Refusal) -> Int {
        await waitUntilRead()
        guard case .has = disk else { return try await eraseUnread() }
        var count = 0
        change { count = $0.clear() }
        try await written()
        return count
    }

    /// Does not wait for a folder that is being written: what is erased is not listed from now on.
    private func waitUntilRead() async {
        if case .has = disk { return }
        await settle()
    }

    private func written() async throws(Refusal) {
        guard work != nil else { return }
        if let error = await withCheckedContinuation({ waiters.append($0) }) { throw Self.refusal(error) }
    }

    private func eraseUnread() async throws(Refusal) -> Int {
        early = []
        let result = await withCheckedContinuation { continuation in
            run { folder throws(HistoryFilesError) in
                let count = (try? folder.read())?.history.entries.count ?? 0
                try folder.erase()
                return count
            } then: {
                continuation.resume(returning: $0)
            }
        }
        do throws(HistoryFilesError) {
            let count = try result.get()
            if case .unreadable = disk, let settings { found(.success(HistoryFolder.Contents()), settings) }
            return count
        } catch {
            throw Self.refusal(error.description)
        }
    }

    private static func refusal(_ error: String) -> Refusal {
        Refusal(.fileWrite, "The history could not be written: \(error)")
    }

    // MARK: Time

    /// The clock of the timer stands still while the computer sleeps.
    private static let longestWait: Int64 = 600

    private func schedule() {
        expiry.take()?.cancel()
        guard let next = history.nextExpiry else { return }
        let seconds = min(max(next - Self.now, 1), Self.longestWait)
        expiry = EventLoopActor.schedule(after: .seconds(seconds)) { [weak self] in
            self?.expiry = nil
            self?.expire()
            if self?.expiry == nil { self?.schedule() }
        }
    }

    private func expire() {
        var history = history
        history.expire(at: Self.now)
        if history != self.history { store(history) }
    }

    // MARK: The folder

    private func read() {
        guard work == nil, let settings else { return }
        run { folder throws(HistoryFilesError) in
            try folder.read()
        } then: { [weak self] result in
            self?.found(result, self?.settings ?? settings)
        }
    }

    private func found(
        _ result: Result<HistoryFolder.Contents, HistoryFilesError>, _ settings: History.Settings
    ) {
        let early = early
        self.early = []
        switch result {
        case .success(let contents):
            if contents.isDamaged { logger.error("the history is damaged: some texts are lost") }
            disk = .has(contents)
            var history = contents.history
            history.use(settings, at: Self.now)
            for (text, sound) in early { keep(text, sound, in: &history) }
            store(history)
        case .failure(let error):
            logger.error("the history is not known", metadata: ["why": "\(error)"])
            disk = .unreadable
            change { $0.use(settings, at: Self.now) }
        }
    }

    private func write() {
        guard work == nil, case .has(let contents) = disk, !contents.isUpToDate(with: history) else { return }
        let (history, sounds) = (history, sounds)
        let awaiting = waiters
        waiters = []
        run { folder throws(HistoryFilesError) in
            try folder.write(history, sounds: sounds)
        } then: { [weak self] result in
            self?.wrote(history, sounds, result, awaiting)
        }
    }

    private func wrote(
        _ history: History, _ sounds: [HistoryEntry.ID: [Int16]],
        _ result: Result<HistoryFolder.Contents, HistoryFilesError>,
        _ awaiting: [CheckedContinuation<String?, Never>]
    ) {
        var reason: String?
        do throws(HistoryFilesError) {
            disk = .has(try result.get())
            for id in sounds.keys { self.sounds[id] = nil }
        } catch {
            logger.error("the history is not on the disk", metadata: ["why": "\(error)"])
            reason = error.description
        }
        for waiter in awaiting { waiter.resume(returning: reason) }
        // After an error the next change tries again.
        if reason == nil || !waiters.isEmpty { write() }
        if work == nil {
            for waiter in waiters { waiter.resume(returning: reason) }
            waiters = []
        }
    }

    /// Works on the folder, on a thread. Nothing else does at the same time.
    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (HistoryFolder) throws(HistoryFilesError) -> Value,
        then completion: @escaping @EventLoopActor (Result<Value, HistoryFilesError>) -> Void
    ) {
        let folder = folder
        work = Task {
            let result: Result<Value, HistoryFilesError>
            do throws(EventLoopError) {
                result = try await OwnThread.run("history") {
                    Result { () throws(HistoryFilesError) in try body(folder) }
                }
            } catch {
                result = .failure(HistoryFilesError("no thread could be started: \(error)"))
            }
            work = nil
            completion(result)
            // The settings became known meanwhile.
            if case .unread = disk { read() }
            changed()
        }
    }
}
