import DBus
import DictationBus
import DictationCore
import DictationInterface
import DictationTyping
import EventLoop
import JournalFiles
import Logging

// Sessions that an earlier service left return with the first call of their client. Those of keys return at once, and end.

extension Worker {
    /// Restores the session that this call may concern.
    /// - Returns: whether the call must wait for that.
    func restoresFirst(_ call: MethodCall, from client: Client) -> Bool {
        guard !leftSessions.isEmpty, call.interface == DictationInterface.name,
            let method = DictationMethod(rawValue: call.member.rawValue)
        else { return false }
        switch method {
        case .requestPermission, .checkPermission, .listRoutes, .selectRoute: return false
        case .stopAll:
            leftSessions.removeAll()
            return false
        case .start, .pause, .resume, .commit, .cancel, .stop, .subscribe, .getSession: break
        }
        let hasStarted = dictation.hasStarted(client.name)
        guard let entry = leftSessions.entry(for: client, hasStarted: hasStarted) else { return false }
        return leftSessions.awaitRestoring(of: entry, for: call.sender) { restore($0) }
    }

    /// Restores the sessions of the clients that are known, without a call of theirs.
    /// - Parameter sessions: what the worker had that has failed. Those of which nothing is left are over.
    func restore(_ sessions: [WorkerSession]) {
        let waiting = leftSessions.numbers
        for session in sessions where !waiting.contains(session.number) { signalLoss(of: session) }
        for client in clients.values {
            guard let entry = leftSessions.entry(for: client, hasStarted: true),
                let name = BusName(client.name.rawValue)
            else { continue }
            if leftSessions.awaitRestoring(of: entry, for: name, { restore($0) }) {
                mailboxes.suspend(name, .restoring)
            }
        }
    }

    /// Restores the sessions that keys have begun.
    func restoreDesktop() {
        for entry in leftSessions.ofDesktop { leftSessions.beginRestoring(entry) { restore($0) } }
    }

    private func signalLoss(of session: WorkerSession) {
        if ClientName("\(session.owner)").isOfDesktop { return typing.showCrash() }
        guard let name = BusName(session.owner), clients[name] != nil else { return }
        let refusal = Refusal(
            .engineFailed,
            "The process with this session has failed, and the session cannot continue: call Start.")
        let (id, owner) = (SessionID(rawValue: session.number), Audience.clients([ClientName(name.rawValue)]))
        messageSender.send(.error(refusal), of: id, to: owner)
        messageSender.send(.stopped(.shutdown), of: id, to: owner)
    }

    private func restore(_ entry: LeftSessions.Entry) {
        guard leftSessions.contains(entry) else { return }
        let client = entry.session.client
        do throws(Refusal) {
            // Permission first, then the engine and the lexicon, as for Start.
            let options = try entry.session.startOptions()
            let prepared = try preparation(options, from: client)
            let types = try TypingRequest.isIn(options) && !client.isOfDesktop
            guard prepared.isNeeded || types else { return finish(entry, prepared.start) }
            Task {
                do throws(Refusal) {
                    let start = prepared.isNeeded ? try await run(prepared) : prepared.start
                    let typing = types ? await reopenTyping(of: entry, options) : nil
                    guard leftSessions.contains(entry) else {
                        if let typing { self.typing.finished(typing.dictation) }
                        return
                    }
                    finish(entry, start, typing)
                } catch {
                    if leftSessions.contains(entry) { refuse(entry, error) }
                }
            }
        } catch {
            refuse(entry, error)
        }
    }

    /// What is kept is deleted for reasons that stay. Others pass: an engine in another process, for example, may not answer yet.
    private func refuse(_ entry: LeftSessions.Entry, _ refusal: Refusal) {
        switch refusal.kind {
        case .permissionDenied, .invalidArguments, .notRunning:
            leftSessions.finish(entry, .deleted(because: refusal.message))
        case .permissionRequired where entry.session.client.isOfDesktop:
            // It was allowed once.
            leftSessions.finish(entry, .lost(because: refusal.message))
        case .engineUnavailable, .unsupportedLanguage, .limitExceeded:
            // Later, the calls continue without the session.
            guard entry.isEarly else { fallthrough }
            restore(entry, after: .milliseconds(200))
        default:
            // Nobody calls for the session of a key.
            guard entry.session.client.isOfDesktop else { return leftSessions.finish(entry, .waits) }
            restore(entry, after: .seconds(2))
        }
    }

    private func restore(_ entry: LeftSessions.Entry, after delay: Duration) {
        _ = EventLoopActor.schedule(after: delay) { [weak self] in self?.restore(entry) }
    }

    /// The typing of a session that returns.
    private struct ReopenedTyping {
        let dictation: SessionTyping
        /// Why nothing can be typed now; nil if it can.
        let failure: Refusal?
    }

    /// Nil if the user dictates into windows already: the owner gets an error and the text.
    private func reopenTyping(
        of entry: LeftSessions.Entry, _ options: [BusText: Value]
    ) async -> ReopenedTyping? {
        let client = entry.session.client
        guard let owner = BusName(client.name.rawValue) else { return nil }
        do throws(Refusal) {
            try typing.requirePermission(of: client)
            let session = try typing.begin(
                typing.request(options, by: client), of: client, for: .owner(owner))
            do throws(Refusal) {
                try await typing.open(session)
                return ReopenedTyping(dictation: session, failure: nil)
            } catch {
                return ReopenedTyping(dictation: session, failure: error)
            }
        } catch {
            messageSender.send(.error(error), of: entry.session.id, to: .clients([client.name]))
            return nil
        }
    }

    private func finish(_ entry: LeftSessions.Entry, _ start: StartOptions, _ typing: ReopenedTyping? = nil) {
        do throws(Refusal) {
            var start = start
            start.recording = nil
            let contents = entry.journal.contents
            // Where another window may have the focus by now, the text is finished, and not typed.
            let hasLostField =
                try TypingRequest.isIn(entry.session.startOptions())
                && !(typing?.dictation.hasFocus(contents.field) ?? false)
            let session = RestoredSession(
                contents, hasOwner: entry.hasOwner, options: start, idle: entry.journal.idle, age: entry.age)
            if let refusal = dictation.refusal(ofRestoring: session) { throw refusal }
            // From here on a failure of this service is counted.
            typing?.dictation.attach(to: entry.session.id)
            dictation.restore(
                session, contents.soundToDecode, journals.continuing(entry.journal),
                commitsBlock: hasLostField || session.client.isOfDesktop)
            if session.client.isOfDesktop { self.typing.endReturned(session.id, of: session.client) }
            if let typing {
                typing.dictation.sessionBegan()
                typing.dictation.begin(
                    start, restoring: .init(block: contents.block, field: contents.field),
                    failure: typing.failure)
            }
            leftSessions.finish(entry, .restored)
        } catch {
            if let typing { self.typing.finished(typing.dictation) }
            refuse(entry, error)
        }
    }
}

extension JournalSession {
    /// Of a session that begins.
    /// - Parameter called: Start's options.
    init?(
        _ id: SessionID, of client: Client, _ start: StartOptions, _ called: [BusText: Value], bus: String
    ) {
        // Descriptors do not outlive the service.
        var kept = called.filter { !$0.value.hasDescriptors }
        // As they were chosen: settings may change before the session returns.
        kept[StartOption.engine] = .string(start.transcription.engine)
        kept[StartOption.language] = .string(start.transcription.language)
        guard !start.hasInput, let options = try? ValueBytes.encode([Value(kept)]) else { return nil }
        self.init(id: id, client: client, bus: bus, lingers: start.lingers, options: options)
    }

    func startOptions() throws(Refusal) -> [BusText: Value] {
        do {
            return try ValueBytes.decode(options, within: Self.limits).decoded(as: [BusText: Value].self)
        } catch {
            throw Refusal(.invalidArguments, "Its options are not valid: \(error)")
        }
    }

    /// More than Start takes, which has checked them.
    private static let limits = MessageLimits(bytes: 16 << 20, values: 256 << 10)

    /// Whether a client may control it without being its owner.
    func mayBeControlled(by client: Client) -> Bool {
        lingers && self.client.sharesLingeringSessions(with: client)
    }
}
