import DictationBus
import DictationCore
import EventLoop
import JournalFiles
import Logging

/// Keeps what is uncommitted of a session: joins the ``JournalLog``, which decides, and the ``JournalFile``.
@EventLoopActor
final class SessionJournal {
    private var log: JournalLog
    private var file: JournalFile?
    private let journals: Journals
    private let logger: Logger
    /// As ``Journals`` knows it.
    private var size = 0
    /// Nothing is written any more.
    private var isClosed = false
    private var confirmation: EventLoop.Timer?
    /// The last write failed. The next is tried then.
    private var retry: EventLoop.Timer?
    private var hasFailed = false

    private static let retryDelay = Duration.seconds(2)
    private static let confirmationInterval = Duration.seconds(60)

    init(_ log: JournalLog, _ file: JournalFile?, in journals: Journals, logger: Logger) {
        self.log = log
        self.file = file
        self.journals = journals
        self.logger = logger
    }

    /// Sound that was passed to the recogniser.
    func append(_ samples: [Int16]) {
        log.append(samples)
        write()
    }

    func setFlowing(_ flows: Bool) {
        log.setFlowing(flows)
        write()
    }

    /// A command that was given to the recogniser.
    func perform(_ command: TranscriptionCommand) {
        switch command {
        case .cut, .acoustics: break
        case .endBlock(let block): log.endBlock(block)
        case .discardBlock(let block): log.discardBlock(block)
        }
    }

    /// See ``JournalLog/setField(_:of:)``.
    func setField(_ field: String, of block: BlockNumber) {
        log.setField(field, of: block)
        write()
    }

    func recogniserOpened() { log.recogniserOpened() }

    func restoredSoundWasHeard() {
        log.restoredSoundWasHeard()
        write()
    }

    /// Call after the machine has handled an event of this session.
    func follow(_ blocks: [UncommittedBlock], after event: RecognitionEvent? = nil) {
        if let event { log.record(event) }
        log.follow(blocks)
        write()
    }

    /// Removes it.
    func close() {
        isClosed = true
        retry.take()?.cancel()
        resize(to: 0)
        removeFile()
    }

    /// Leaves it to the next service, with these blocks.
    func leave(_ blocks: [UncommittedBlock]) {
        log.follow(blocks)
        log.leave()
        retry.take()?.cancel()
        write()
        if log.size == 0 || retry != nil { return close() }
        isClosed = true
        resize(to: 0)
        file = nil
    }

    private func removeFile() {
        guard let file = file.take() else { return }
        do throws(JournalError) {
            try file.remove()
        } catch {
            logger.error("a journal could not be removed", metadata: ["why": "\(error)"])
        }
    }

    func write() {
        guard !isClosed, retry == nil else { return }
        log.byteLimit = journals.limit(ofJournalWith: size)
        let steps = log.takeSteps()
        guard !steps.isEmpty else { return }
        resize(to: log.size)
        do throws(JournalError) {
            if file == nil { file = try journals.makeFile(of: log.id) }
            guard let file else { return close() }
            for step in steps {
                try file.perform(step)
                guard case .full = step else { continue }
                logger.notice(
                    "the journals are full: if the service fails now, more than a second of sound is lost")
            }
            if hasFailed {
                hasFailed = false
                logger.notice("what is not committed is kept again")
            }
        } catch {
            let isFirst = !hasFailed
            fileFailed()
            guard isFirst else { return }
            logger.error(
                "what is not committed is not kept if the service fails now",
                metadata: ["why": "\(error)"])
        }
    }

    /// The file may be torn: it is removed, and everything is written to another, later.
    private func fileFailed() {
        hasFailed = true
        removeFile()
        log.fileLost()
        resize(to: 0)
        retry = EventLoopActor.schedule(after: Self.retryDelay) { [weak self] in
            self?.retry = nil
            self?.write()
        }
    }

    private func resize(to new: Int) {
        journals.resized(from: size, to: new)
        size = new
        if new == 0 {
            confirmation.take()?.cancel()
        } else if confirmation == nil {
            confirmLater()
        }
    }

    private func confirmLater() {
        confirmation = EventLoopActor.schedule(after: Self.confirmationInterval) { [weak self] in
            self?.confirm()
            self?.confirmLater()
        }
    }

    /// Tells the next service that this one exists. Called once a minute while the journal holds something; call it also
    /// when the computer may have slept.
    func confirm() {
        guard size > 0 else { return }
        do throws(JournalError) {
            try file?.confirm()
        } catch {
            logger.error("a journal cannot be confirmed", metadata: ["why": "\(error)"])
        }
    }
}
