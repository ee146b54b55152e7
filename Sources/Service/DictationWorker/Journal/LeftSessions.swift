import DBus
import DictationBus
import DictationCore
import EventLoop
import JournalFiles
import Logging

/// The sessions that an earlier service left. Each waits for a call of its client, because only then the client is identified.
/// That of a key waits for nobody.
@EventLoopActor
final class LeftSessions {
    /// A session that waits, or is being restored.
    final class Entry {
        let journal: LeftJournal
        /// Whether the connection that started it exists.
        fileprivate(set) var hasOwner = true
        /// Whether an attempt to restore it is going on.
        fileprivate(set) var isBeingRestored = false
        /// Connections whose calls wait for that, in order.
        fileprivate var waiting: [BusName] = []
        /// It is not tried again before.
        fileprivate var retryTime = SuspendingClock.now
        fileprivate let found = SuspendingClock.now
        fileprivate var expiry: EventLoop.Timer?

        fileprivate init(_ journal: LeftJournal) { self.journal = journal }

        var session: JournalSession { journal.contents.session }
        /// Since the end of its service.
        var age: Duration { journal.age + (SuspendingClock.now - found) }
        /// Whether this service has just begun, so that engines and agents may still come.
        var isEarly: Bool { SuspendingClock.now - found < .seconds(3) }
    }

    /// What became of an attempt to restore a session.
    enum Outcome {
        case restored
        /// Nothing is lost: a later call tries again.
        case waits
        case deleted(because: String)
        /// It is deleted, and a key's words are shown as the engine gave them.
        case lost(because: String)
    }

    private var entries: [Entry] = []
    private var resume: @EventLoopActor (BusName) -> Void = { _ in }
    private var changed: @EventLoopActor () -> Void = {}
    private var showLost: @EventLoopActor (String) -> Void = { _ in }
    /// Words of keys' sessions that cannot return, for ``begin(resume:changed:showLost:)``.
    private var lostTexts: [String] = []
    private let lifetime: Duration
    private let logger: Logger
    /// The highest number of a session that was found.
    private(set) var lastSession: UInt64 = 0

    /// - Parameters:
    ///   - bus: the GUID of the service's bus. Sessions of another bus cannot return.
    ///   - lifetime: from the end of a session's service until it is deleted.
    init(
        _ journals: [LeftJournal], bus: String, lifetime: Duration = JournalContents.lifetime, logger: Logger
    ) {
        self.lifetime = lifetime
        self.logger = logger
        for journal in journals {
            let contents = journal.contents
            // Numbers are not used for others, even of sessions that do not return.
            if contents.session.id.rawValue < 1 << 62 {
                lastSession = max(lastSession, contents.session.id.rawValue)
            }
            guard contents.session.bus == bus, contents.mayBeRestored, journal.age >= .seconds(-60),
                journal.age < lifetime
            else {
                if contents.session.bus == bus, contents.session.client.isOfDesktop, journal.age < lifetime {
                    lostTexts.append(contents.words)
                }
                remove(journal, "it is too old, of another bus, or has failed twice")
                continue
            }
            entries.append(Entry(journal))
        }
    }

    var numbers: Set<UInt64> { Set(entries.map(\.session.id.rawValue)) }

    /// The clients that have started them, without those of keys.
    var connections: [Client] { entries.map(\.session.client).filter { !$0.isOfDesktop } }

    /// Those that keys have begun.
    var ofDesktop: [Entry] { entries.filter(\.session.client.isOfDesktop) }

    var identitiesOfDesktop: Set<Identity> { Set(ofDesktop.map(\.session.client.identity)) }

    /// Starts to delete sessions that nobody calls for.
    /// - Parameters:
    ///   - resume: called with each connection whose calls have waited for a session.
    ///   - changed: called when there is one session less.
    ///   - showLost: called with the words of a key's session that cannot return.
    func begin(
        resume: @escaping @EventLoopActor (BusName) -> Void, changed: @escaping @EventLoopActor () -> Void,
        showLost: @escaping @EventLoopActor (String) -> Void = { _ in }
    ) {
        self.resume = resume
        self.changed = changed
        self.showLost = showLost
        for text in lostTexts { showLost(text) }
        lostTexts = []
        for entry in entries {
            entry.expiry = EventLoopActor.schedule(after: max(.zero, lifetime - entry.age)) {
                [weak self, weak entry] in
                if let entry { self?.finish(entry, .lost(because: "nobody has called for it")) }
            }
            let client = entry.session.client
            if !client.isOfDesktop, BusName(client.name.rawValue)?.isUnique != true {
                remove(entry, "it has no valid client")
            }
        }
    }

    var isEmpty: Bool { entries.isEmpty }

    func contains(_ entry: Entry) -> Bool { entries.contains { $0 === entry } }

    /// The session that a call of this client may concern: its own, or the lingering one that it may control.
    /// - Parameter hasStarted: whether it has started another. Then its calls concern no lingering one.
    func entry(for client: Client, hasStarted: Bool) -> Entry? {
        let own = entries.first { $0.session.client == client }
        return hasStarted ? own : own ?? entries.first { $0.session.mayBeControlled(by: client) }
    }

    // MARK: Deleting

    /// A connection has left the bus: its session is over unless it lingers.
    func vanished(_ name: BusName) {
        for entry in entries where entry.session.client.name.rawValue == name.rawValue {
            entry.hasOwner = false
            if !entry.session.lingers { remove(entry, "its client has gone") }
        }
    }

    /// An application may not dictate.
    func remove(of identity: Identity) {
        for entry in entries where entry.session.client.identity == identity {
            remove(entry, "its application may not dictate")
        }
    }

    func removeAll() {
        for entry in entries { remove(entry, "sessions were stopped") }
    }

    // MARK: Restoring

    /// Begins an attempt to restore a session, unless one is going on or has just failed.
    /// - Parameter attempt: ends, now or later, with ``finish(_:_:)``.
    /// - Returns: whether the calls of this connection must wait until ``resume`` is called with it.
    func awaitRestoring(
        of entry: Entry, for name: BusName, _ attempt: @EventLoopActor (Entry) -> Void
    ) -> Bool {
        if !entry.isBeingRestored {
            guard entry.retryTime <= .now else { return false }
            beginRestoring(entry, attempt)
            guard entry.isBeingRestored else { return false }
        }
        if !entry.waiting.contains(name) { entry.waiting.append(name) }
        return true
    }

    /// Begins an attempt to restore a session.
    /// - Parameter attempt: ends, now or later, with ``finish(_:_:)``.
    func beginRestoring(_ entry: Entry, _ attempt: @EventLoopActor (Entry) -> Void) {
        entry.isBeingRestored = true
        attempt(entry)
    }

    /// The attempt is over. The calls follow.
    func finish(_ entry: Entry, _ outcome: Outcome) {
        switch outcome {
        case .restored: forget(entry)
        case .waits: entry.retryTime = .now + Self.retryDelay
        case .deleted(let reason): return remove(entry, reason)
        case .lost(let reason):
            if entry.session.client.isOfDesktop { showLost(entry.journal.contents.words) }
            return remove(entry, reason)
        }
        resumeCalls(for: entry)
    }

    /// A client that calls again and again does not keep the service busy.
    private static let retryDelay = Duration.seconds(1)

    /// The service ends: the sessions wait for the next one.
    /// - Returns: the connections whose calls wait for one of them.
    func leave() -> [BusName] {
        let waiting = entries.flatMap(\.waiting)
        for entry in entries { forget(entry) }
        return waiting
    }

    private func remove(_ entry: Entry, _ reason: String) {
        guard contains(entry) else { return }
        forget(entry)
        remove(entry.journal, reason)
        resumeCalls(for: entry)
    }

    private func forget(_ entry: Entry) {
        entry.expiry?.cancel()
        entries.removeAll { $0 === entry }
        changed()
    }

    private func resumeCalls(for entry: Entry) {
        entry.isBeingRestored = false
        let waiting = entry.waiting
        entry.waiting = []
        for name in waiting { resume(name) }
    }

    private func remove(_ journal: LeftJournal, _ reason: String) {
        logger.notice(
            "a session of the last service was deleted",
            metadata: ["session": "\(journal.contents.session.id.rawValue)", "why": "\(reason)"])
        do throws(JournalError) {
            try journal.reopen().remove()
        } catch {
            logger.error("a journal could not be removed", metadata: ["why": "\(error)"])
        }
    }
}

extension JournalContents {
    /// The words that were recognised, as the engine gave them.
    fileprivate var words: String { texts.map(\.segment.text).joined(separator: " ") }
}
