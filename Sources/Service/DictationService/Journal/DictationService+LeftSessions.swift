import DBus
import DictationCore
import DictationInterface
import EventLoop
import JournalFiles
import Logging

// Sessions of a service that crashed return with the first call of their client.

extension DictationService {
    /// Restores the session that this call may concern, and carries out the call after that.
    /// - Returns: false if there is none.
    func restoresFirst(_ call: MethodCall, from client: Client) -> Bool {
        guard call.interface == DictationInterface.name,
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
        // A Start begins anew, but not before the calls that came earlier.
        if method == .start, !entry.isAwaited { return false }
        let isFirst = leftSessions.wait(for: entry, call.sender) { [weak self] in
            self?.performInOrder(call, from: client, restoring: false)
        }
        if isFirst { restore(entry) }
        return true
    }

    private func restore(_ entry: LeftSessions.Entry) {
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
                case .failure(let refusal): leftSessions.finish(entry, .refused(refusal))
                }
            }
        } catch {
            leftSessions.finish(entry, .refused(error))
        }
    }

    private func finish(_ entry: LeftSessions.Entry, _ start: StartOptions) {
        let client = entry.session.client
        let world: UserWorld
        do throws(Refusal) {
            world = try worlds.world(of: client.identity.uid)
        } catch {
            return leftSessions.finish(entry, .refused(error))
        }
        introduce(client, to: world)
        var start = start
        start.recording = nil
        let contents = entry.journal.contents
        let session = RestoredSession(
            contents, hasOwner: entry.hasOwner, options: start, idle: entry.journal.idle, age: entry.age)
        // From here on a failure of this service is counted.
        let journal = journals.continuing(entry.journal)
        let isRestored = world.restore(session, contents.soundToDecode, journal)
        leftSessions.finish(
            entry,
            isRestored ? .restored : .deleted(because: "its client may not dictate, or has another session"))
    }
}

extension LeftSessions.Outcome {
    /// The user's own engines, for example, are there only when the agent has told of them.
    fileprivate static func refused(_ refusal: Refusal) -> Self {
        switch refusal.kind {
        case .engineUnavailable, .limitExceeded: .waits
        default: .deleted(because: refusal.message)
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
        let kept = called.filter { $0.key != StartOption.record && $0.key != StartOption.input }
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
