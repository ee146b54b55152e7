import DBus
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import RecordingFiles

/// A call of Start, from its options to its session or its refusal. Until it is answered, the later calls of its connection
/// wait in the ``Mailboxes``.
///
/// Permission is checked before any work for the caller. Work that takes long, or that another process can delay, is done
/// by threads.
@EventLoopActor
final class StartCall {
    private var options: [BusText: Value]
    private let call: MethodCall
    private let client: Client
    private let worker: Worker
    /// A key has begun it: the session types, and outlasts its caller.
    private let isForDesktop: Bool
    /// Types the session's text into windows.
    private var typing: SessionTyping?
    /// The session whose descriptor is being checked.
    private var session: SessionID?
    /// Of the check of the descriptor.
    private var deadline: EventLoop.Timer?
    private var checked: CheckedContinuation<Result<StartOptions, Refusal>, Never>?
    /// It was answered, or nobody waits for the answer.
    private var isOver = false

    /// Timeout of a file system. Bus libraries wait 25 s for the reply.
    private static let timeout = Duration.seconds(10)

    init(
        _ options: [BusText: Value], _ call: MethodCall, from client: Client, by worker: Worker,
        isForDesktop: Bool = false
    ) {
        self.isForDesktop = isForDesktop
        self.options = options
        self.call = call
        self.client = client
        self.worker = worker
    }

    func run() async {
        do throws(Refusal) {
            try beginTyping()
            let prepared = try await prepare()
            guard !isOver else { return }
            let session = worker.newSession()
            let start = try await checkDescriptor(of: session, prepared)
            guard !isOver else { return }
            begin(session, start)
        } catch {
            end(error)
        }
    }

    // MARK: Steps

    /// If the session types, nobody else types from now on. The way into the window is found when the microphone is open.
    private func beginTyping() throws(Refusal) {
        if isForDesktop { try adaptToDesktop() }
        let types = try TypingRequest.isIn(options)
        guard isForDesktop || types else { return }
        // Permission first.
        _ = try worker.preparation(options, from: client)
        try worker.typing.requirePermission(of: client)
        typing = try worker.typing.begin(
            worker.typing.request(options, by: client), of: client,
            for: isForDesktop ? worker.typing.desktop : .owner(call.sender))
    }

    private func adaptToDesktop() throws(Refusal) {
        for option in [StartOption.linger, StartOption.input, StartOption.record, StartOption.broadcast]
        where options[option] != nil {
            throw Refusal(.invalidArguments, "Toggle has no option '\(option)'.")
        }
        if options[StartOption.autoCommit] == nil {
            options[StartOption.autoCommit] = .uint32(Self.autoCommit)
        }
    }

    /// In milliseconds.
    private static let autoCommit: UInt32 = 1000

    /// The session's settings, with its lexicon and the pronunciations of its words. If the session types, they depend on the
    /// window, and only the words of the call are checked now.
    private func prepare() async throws(Refusal) -> StartOptions {
        let preparation = try worker.preparation(options, from: client)
        guard typing == nil ? preparation.isNeeded : preparation.hasOwnWords else { return preparation.start }
        let lease = try requireLease(.preparations)
        defer { lease.end() }
        return try await worker.run(preparation)
    }

    /// The thread that will read the input or write the recording checks its descriptor.
    private func checkDescriptor(
        of session: SessionID, _ start: StartOptions
    ) async throws(Refusal) -> StartOptions {
        let reader = OptionReader(options: options)
        if let file = try reader.descriptor(StartOption.input) {
            return try await check(StartOption.input, for: session) { (checked) throws(Refusal) in
                try checkInput(file, of: session, start, checked)
            }
        }
        if let target = try reader.descriptor(StartOption.record), let recording = start.recording {
            return try await check(StartOption.record, for: session) { (checked) throws(Refusal) in
                try checkRecording(recording, into: target, of: session, start, checked)
            }
        }
        return start
    }

    private func begin(_ session: SessionID, _ start: StartOptions) {
        var start = start
        start.outlastsConnection = isForDesktop
        if let typing {
            start.areUnsettled = true
            typing.attach(to: session)
            worker.dictation.awaitSettling(of: session)
        } else {
            worker.keepJournal(of: session, start, options, client)
        }
        if isForDesktop {
            let id = worker.messageSender.keep { [call, typing = worker.typing] result in
                switch result {
                case .success: call.reply(DictationTypingReply.toggle(began: true).body)
                case .failure(let refusal):
                    call.fail(DBusError(refusal))
                    typing.showFailure(refusal)
                }
            }
            worker.dictation.post(.call(id, from: client, .start(session, start)))
        } else {
            worker.post(.start(session, start), call, from: client)
        }
        // The session may have been refused.
        worker.dictation.dropUnusedInput(of: session)
        if worker.dictation.hasSession(session), let typing = typing.take() {
            typing.sessionBegan()
            worker.settle(session, start, options, of: client, typing)
        }
        finish()
    }

    private func requireLease(_ item: Budgets.Item) throws(Refusal) -> Budgets.Lease {
        try worker.budgets.requireLease(item, of: .caller(client.identity, call.sender))
    }

    // MARK: End

    /// Ends it without a session.
    func end(_ refusal: Refusal) {
        guard !isOver else { return }
        call.fail(DBusError(refusal))
        if isForDesktop {
            worker.typing.showFailure(refusal)
            worker.retire(client)
        }
        drop(because: refusal)
    }

    /// The connection has gone.
    func abandon() {
        // A key's session outlasts its caller.
        if !isOver, !isForDesktop { drop(because: Refusal(.cancelled, "The connection has gone.")) }
    }

    private func drop(because refusal: Refusal) {
        if let session { worker.dictation.dropUnusedInput(of: session) }
        finish()
        finishCheck(.failure(refusal))
    }

    private func finish() {
        isOver = true
        deadline?.cancel()
        if let typing = typing.take() { worker.typing.finished(typing) }
        worker.startEnded(of: call.sender)
    }

    // MARK: Descriptors

    private typealias Checked = @EventLoopActor (Result<StartOptions, Refusal>) -> Void

    /// - Parameter begin: begins the check, which calls its argument later, unless the session is dropped before.
    private func check(
        _ option: BusText, for session: SessionID, _ begin: (@escaping Checked) throws(Refusal) -> Void
    ) async throws(Refusal) -> StartOptions {
        self.session = session
        try begin { [weak self] result in self?.finishCheck(result) }
        deadline = EventLoopActor.schedule(after: Self.timeout) { [weak self] in
            self?.end(
                Refusal(.timeout, "The file system of '\(option)' did not answer within \(Self.timeout)."))
        }
        return try await withCheckedContinuation { checked = $0 }.get()
    }

    private func finishCheck(_ result: Result<StartOptions, Refusal>) {
        checked?.resume(returning: result)
        checked = nil
    }

    private func checkInput(
        _ file: Descriptor, of session: SessionID, _ start: StartOptions, _ checked: @escaping Checked
    ) throws(Refusal) {
        try worker.dictation.examineInput(file, for: session, lease: try requireLease(.inputs)) { result in
            checked(
                result.map { isRecorded in
                    var start = start
                    start.transcription.isRecorded = isRecorded
                    start.transcription.inputWaits = true
                    return start
                })
        }
    }

    private func checkRecording(
        _ recording: RecordingRequest, into target: Descriptor, of session: SessionID, _ start: StartOptions,
        _ checked: @escaping Checked
    ) throws(Refusal) {
        let lease = try requireLease(.recordings)
        let folderRefusal = RecordingPolicy.refusalOfFolder(from: client.identity)
        do throws(RecordingError) {
            try worker.dictation.examineRecording(
                recording, into: target, takesFolder: folderRefusal == nil,
                for: session, lease: lease
            ) { error in
                let refusal = error.map { RecordingPolicy.refusal($0, ofFolder: folderRefusal) }
                checked(refusal.map { .failure($0) } ?? .success(start))
            }
        } catch {
            throw RecordingPolicy.refusal(error, ofFolder: folderRefusal)
        }
    }
}
