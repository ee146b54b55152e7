import DictationBus
import DictationCore
import EventLoop
import JournalFiles
import Logging

/// Makes the journals of sessions, which share a limited size.
@EventLoopActor
final class Journals {
    /// The GUID of the service's bus.
    let bus: String
    /// Nil where journals cannot be kept.
    private let home: JournalHome?
    private let logger: Logger
    /// Bytes of all journals together, above which no sound is written.
    private let limit: Int
    private var used = 0

    init(bus: String, home: JournalHome?, limit: Int = JournalContents.byteLimit, logger: Logger) {
        self.bus = bus
        self.home = home
        self.limit = limit
        self.logger = logger
    }

    /// The journals' home, and the journals that the last service left there, read on a thread.
    /// - Parameter bus: the GUID of the service's bus.
    static func found(
        on bus: String, environment: [String: String], _ logger: Logger
    ) async -> (Journals, [LeftJournal]) {
        do {
            let home = try JournalHome(environment: environment)
            let left = try await OwnThread.run("journals") { home.takeLeft() }
            return (Journals(bus: bus, home: home, logger: logger), left)
        } catch {
            logger.notice(
                "what is not committed is not kept if the service fails", metadata: ["why": "\(error)"])
            return (Journals(bus: bus, home: nil, logger: logger), [])
        }
    }

    /// The journal of a new session. Its file is created at the first write.
    func journal(of session: JournalSession) -> SessionJournal {
        SessionJournal(JournalLog(session), nil, in: self, logger: logger)
    }

    /// Continues the journal of a session that is about to be restored, and marks the attempt in it.
    func continuing(_ left: LeftJournal) -> SessionJournal {
        let log = JournalLog(restoring: left.contents)
        let journal = SessionJournal(log, left.reopen(), in: self, logger: logger)
        journal.write()
        return journal
    }

    func makeFile(of session: SessionID) throws(JournalError) -> JournalFile? {
        try home?.makeFile(for: session)
    }

    /// How large a journal that has this size may become.
    func limit(ofJournalWith bytes: Int) -> Int { limit - used + bytes }

    func resized(from old: Int, to new: Int) { used += new - old }
}
