import DBus
import DictationCore
import DictationInterface
import EventLoop
import JournalFiles
import Logging

// Sessions that an earlier service left return with the first call of their client.

extension DictationService {
    /// Restores the session that this call may concern.
    /// - Returns: whether the call must wait for that.
    func restoresFirst(_ call: MethodCall, from client: Client) -> Bool {
        guard !leftSessions.isEmpty, call.interface == DictationInterface.name,
            let method = DictationMethod(rawValue: call.member.rawValue)
        else { return false }
        switch method {
        case .requestPermission, .checkPermission, .listRoutes, .selectRoute: return false
        case .stopAll:
            leftSessions.removeAll(ofUser: client.identity.uid)
            return false
        case .start, .pause, .resume, .commit, .cancel, .stop, .subscribe, .getSession: break
        }
        let hasStarted = worlds[client.identity.uid]?.hasStarted(client.name) ?? false
        guard let entry = leftSessions.entry(for: client, hasStarted: hasStarted) else { return false }
        return leftSessions.awaitRestoring(of: entry, for: call.sender) { restore($0) }
    }

    private func restore(_ entry: LeftSessions.Entry) {
        guard leftSessions.contains(entry) else { return }
        let client = entry.session.client
        do throws(Refusal) {
            let world = try worlds.world(of: client.identity.uid)
            introduce(client, to: world)
            // Permission first, then the engine and the lexicon, as for Start.
            let options = try entry.session.startOptions()
            let prepared = try preparation(options, from: client, in: world)
            guard prepared.isNeeded else { return finish(entry, prepared.start) }
            Task {
                let result = await prepared.run(with: engines)
                guard leftSessions.contains(entry) else { return }
                switch result {
                case .success(let start): finish(entry, start)
                case .failure(let refusal): refuse(entry, refusal)
                }
            }
        } catch {
            refuse(entry, error)
        }
    }

    /// What is kept is deleted for reasons that stay. Others pass: the user's own engines, for example, are there only when the
    /// agent has sent them.
    private func refuse(_ entry: LeftSessions.Entry, _ refusal: Refusal) {
        switch refusal.kind {
        case .permissionDenied, .invalidArguments, .notRunning:
            leftSessions.finish(entry, .deleted(because: refusal.message))
        case .engineUnavailable, .unsupportedLanguage, .limitExceeded:
            // Later, the calls continue without the session.
            guard entry.isEarly else { return leftSessions.finish(entry, .waits) }
            _ = EventLoopActor.schedule(after: Self.restoringInterval) { [weak self] in
                self?.restore(entry)
            }
        default: leftSessions.finish(entry, .waits)
        }
    }

    private static let restoringInterval = Duration.milliseconds(200)

    private func finish(_ entry: LeftSessions.Entry, _ start: StartOptions) {
        let client = entry.session.client
        do throws(Refusal) {
            let world = try worlds.world(of: client.identity.uid)
            introduce(client, to: world)
            var start = start
            start.recording = nil
            let contents = entry.journal.contents
            let session = RestoredSession(
                contents, hasOwner: entry.hasOwner, options: start, idle: entry.journal.idle, age: entry.age)
            if let refusal = world.refusal(ofRestoring: session) { throw refusal }
            // From here on a failure of this service is counted.
            world.restore(session, contents.soundToDecode, journals.continuing(entry.journal))
            leftSessions.finish(entry, .restored)
        } catch {
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
