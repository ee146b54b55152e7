import DBus
import DictationBus
import DictationConfiguration
import DictationCore
import DictationInterface
import DictationTyping
import EventLoop
import Localization
import Typing

/// Types into the windows of this user's desktop session. There is one input method, so one of them types at a time: the user's
/// dictation, or a program that has a field. The dictation takes the place of the program.
@EventLoopActor
final class InputMethodOwner {
    let worker: Worker
    /// Says where the display is.
    private let environment: [String: String]
    /// Nil where there are no notifications.
    private let notifier: DesktopNotifier?
    private var lease: FieldLease?
    private var lastField: UInt64 = 0
    /// Opens the route of a program.
    private var beginning: Task<FieldLease, any Error>?
    /// Closes the route of the last one that typed.
    private var closing: Task<Void, Never>?
    private var closings = 0
    /// Dictations whose session has ended, and whose text is still being typed.
    private var endings = 0
    private(set) var dictation: SessionTyping? {
        didSet { worker.dictation.isTyping = dictation != nil }
    }
    /// Ends when the dictation before has typed all its text.
    private var lastEnd: Task<Void, Never>?
    /// The last dictation, whose text can still be taken back.
    private var past: SessionTyping?
    private var pastTimer: EventLoop.Timer?
    /// What the last dictation has typed last.
    private var typedEnd: Typist.TypedEnd?
    /// Sessions of keys that have returned after a crash.
    private var shown: [SessionID: Client] = [:]
    private var isEnding = false

    /// How long the text can be taken back after the end of the dictation.
    private static let undoTime = Duration.seconds(60)
    /// How long a program's field may need to report its text.
    private static let textTimeout = Duration.milliseconds(200)

    init(by worker: Worker, environment: [String: String], notifier: DesktopNotifier?) {
        self.worker = worker
        self.environment = environment
        self.notifier = notifier
    }

    /// Whether something would be lost if the worker ended.
    var isNeeded: Bool {
        lease != nil || beginning != nil || closings > 0 || endings > 0 || dictation != nil
            || past != nil
    }

    // MARK: Calls

    func handle(_ call: MethodCall, from client: Client) throws(DBusError) {
        let request = try DictationTypingRequest(call)
        do throws(Refusal) {
            switch request {
            case .beginField(let options): try beginField(FieldOptions(options), for: client, call)
            case .show(let field, _), .insert(let field, _), .replaceLast(let field, _):
                try requirePermission(of: client)
                try find(field, of: client).perform(request, call)
            case .release(let field): try find(field, of: client).perform(request, call)
            case .toggle(let options): toggle(options, call, from: client)
            case .finish:
                try running().finish()
                call.reply(DictationTypingReply.done.body)
            case .pause: try pass(.pause, call)
            case .resume: try pass(.resume, call)
            case .commit: try pass(.commit, call)
            case .undo: try undo(call)
            }
        } catch {
            throw DBusError(error)
        }
    }

    /// Whether a client may type.
    func requirePermission(of client: Client) throws(Refusal) {
        switch worker.dictation.permission(of: client).typing {
        case .granted: break
        case .notDetermined:
            throw Refusal(
                .permissionRequired,
                "The user has not been asked yet whether this program may type: call RequestPermission first."
            )
        case .restricted:
            throw Refusal(
                .permissionDenied, "The administrator does not allow this application to type.")
        case .denied:
            throw Refusal(
                .permissionDenied,
                "The user does not allow this application to type. “dictation-cli permissions” changes that.")
        }
    }

    /// Clients' permissions have changed.
    func permissionChanged() {
        if let lease, worker.dictation.permission(of: lease.client).typing != .granted {
            release(lease, .permissionLost)
        }
        if let dictation, worker.dictation.permission(of: dictation.client).typing != .granted {
            dictation.abandon()
        }
    }

    /// A connection has left the bus.
    func forget(_ client: Client) {
        if let lease, lease.client == client { release(lease, nil) }
    }

    private static func busy(_ message: String) -> Refusal { Refusal(.limitExceeded, message) }

    // MARK: Fields of programs

    private func find(_ field: UInt64, of client: Client) throws(Refusal) -> FieldLease {
        guard let lease, lease.number == field, lease.client == client else { throw FieldLease.notRunning }
        return lease
    }

    private func beginField(_ options: FieldOptions, for client: Client, _ call: MethodCall) throws(Refusal) {
        try requirePermission(of: client)
        guard !isEnding else { throw Refusal(.cancelled, "The service is ending.") }
        guard beginning == nil else {
            throw Self.busy("Another program begins to type just now. Try again.")
        }
        try requireNoDictation()
        if let lease {
            guard lease.client == client || !lease.driver.isInOwnField else {
                throw Self.busy("Another program types into this field.")
            }
            release(lease, lease.client == client ? nil : .replaced)
        }
        past = nil
        let task = Task { try await openField(options, for: client, call.sender) }
        beginning = task
        Task {
            let result = await task.result
            beginning = nil
            do {
                let lease = try result.get()
                call.reply(
                    DictationTypingReply.beginField(field: lease.number, details: lease.details).body)
            } catch let refusal as Refusal {
                call.fail(DBusError(refusal))
            } catch {
                call.fail(.failed("\(error)"))
            }
            worker.updateNeed()
        }
        worker.updateNeed()
    }

    private func requireNoDictation() throws(Refusal) {
        guard dictation == nil else {
            throw Self.busy("The user dictates into windows now. Begin again when that has ended.")
        }
    }

    private func openField(
        _ options: FieldOptions, for client: Client, _ owner: BusName
    ) async throws(Refusal) -> FieldLease {
        await closing?.value
        let choice = RouteChoice(environment: environment)
        let driver = TypingDriver(routes: choice.routes(), style: options.style) { [weak self] report in
            if case .lost = report, let self, let lost = self.lease { release(lost, .routeLost) }
        }
        do throws(Refusal) {
            try await open(driver, choice)
            try requireNoDictation()
            guard worker.clients[owner] != nil, !isEnding else {
                throw Refusal(.cancelled, "The caller has left, or the service ends.")
            }
            try begin(driver, choice)
        } catch {
            close(driver)
            await closing?.value
            throw error
        }
        lastField += 1
        let lease = FieldLease(lastField, of: client, owner, driver, options) { [weak self] reason in
            if let self, let lease = self.lease { release(lease, reason) }
        }
        self.lease = lease
        return lease
    }

    private func open(_ driver: TypingDriver, _ choice: RouteChoice) async throws(Refusal) {
        guard choice.isGraphical else { throw Refusal(.notSupported, RouteChoice.displayRemedy.english) }
        do throws(RouteFailures) {
            _ = try await driver.open()
        } catch {
            throw Refusal(.notSupported, "\(error)\n\(RouteChoice.routeRemedy.english)")
        }
        await driver.waitForText(within: Self.textTimeout)
    }

    private func begin(_ driver: TypingDriver, _ choice: RouteChoice) throws(Refusal) {
        if driver.beginField() { return }
        guard driver.field == nil else {
            throw Refusal(.secretField, "A password field has the focus. Nothing types there.")
        }
        throw Refusal(.noField, "No text field has the focus. \(choice.fieldRemedy.english)")
    }

    /// - Parameter reason: for its owner; nil if that has released it itself.
    private func release(_ lease: FieldLease, _ reason: FieldReleaseReason?) {
        guard self.lease === lease else { return }
        self.lease = nil
        lease.close()
        if reason == .permissionLost { lease.driver.abandon() }
        if let reason, worker.clients[lease.owner] != nil {
            worker.messageSender.send(
                .released(field: lease.number, reason: reason.rawValue, details: [:]), to: lease.owner)
        }
        close(lease.driver)
    }

    /// Restores the user's input method. The next program can begin afterwards.
    private func close(_ driver: TypingDriver) { useRoute { _ = await driver.close() } }

    /// One after the other.
    private func useRoute(_ work: @escaping @EventLoopActor () async -> Void) {
        closings += 1
        closing = Task { [closing] in
            await closing?.value
            await work()
            closings -= 1
            worker.updateNeed()
        }
    }

    // MARK: The user's dictation

    /// A session begins whose text is typed. Until it has ended, nobody else types.
    func begin(
        _ request: TypingRequest, of client: Client, for audience: SessionTyping.Audience
    ) throws(Refusal) -> SessionTyping {
        guard !isEnding else { throw Refusal(.cancelled, "The service is ending.") }
        guard dictation == nil || dictation?.end != nil else {
            throw Refusal(
                .alreadyRunning,
                """
                Dictation into windows is running already, such as “dictation-cli type”. End that one first: \
                “dictation-cli toggle --type” does.
                """)
        }
        guard request.choice.isGraphical else {
            throw Refusal(.notSupported, RouteChoice.displayRemedy.english)
        }
        if let end = dictation?.end { lastEnd = end }
        let typing = SessionTyping(
            of: client, request, for: audience,
            mayCopy: { [worker] in worker.supplies.configuration().copiesUntypedText },
            call: { [worker] in worker.dictation.post(.call(worker.messageSender.keep($2), from: $1, $0)) },
            signal: { [worker] signal, owner in
                if worker.clients[owner] != nil { worker.messageSender.send(signal, to: owner) }
            },
            keepField: { [worker] in worker.dictation.setField($0.field, of: $0.block, in: $1) })
        dictation = typing
        past = nil
        worker.updateNeed()
        if let lease { release(lease, .userDictates) }
        return typing
    }

    /// Opens the best route, when the dictation before has typed all its text.
    func open(_ typing: SessionTyping) async throws(Refusal) {
        await lastEnd?.value
        _ = await beginning?.result
        await closing?.value
        guard typing.end == nil else { throw Refusal(.cancelled, "The session has ended.") }
        try await typing.open(after: typedEnd)
    }

    /// A key's dictation has failed: nobody else says why.
    func showFailure(_ refusal: Refusal) { notifier?.show(Catalogue.translation(ofMessage: refusal.message)) }

    /// Of sessions that belong to no connection.
    var desktop: SessionTyping.Audience { .desktop(notifier) }

    /// What Start or Toggle says about typing.
    func request(_ options: [BusText: Value], by client: Client) throws(Refusal) -> TypingRequest {
        try TypingRequest(options, by: client, environment: environment)
    }

    /// A key's session has returned after a crash. It ends, so that the microphone stays closed until the next key. Its text is
    /// shown: another window may have the focus now.
    func endReturned(_ session: SessionID, of client: Client) {
        showCrash()
        shown[session] = client
        worker.dictation.post(.call(worker.messageSender.keep { _ in }, from: client, .stop))
    }

    /// A key's dictation has ended by a crash.
    func showCrash() {
        notifier?.show(translated("Dictation failed and has started again. Press the key to go on."))
    }

    /// Of a key's session that cannot return after a crash.
    func showLost(_ text: String) {
        if !text.isEmpty {
            notifier?.show(translated("Dictation failed and has started again. Not typed:"), text)
        }
    }

    /// A signal of a session.
    func follow(_ signal: SessionSignal, of session: SessionID) {
        if case .final(let block) = signal, shown[session] != nil { showLost(block.text) }
        guard let dictation, dictation.session == session else { return }
        dictation.follow(signal)
        if case .stopped = signal { sessionEnded(session) }
    }

    /// A session has ended.
    func sessionEnded(_ session: SessionID) {
        if let client = shown.removeValue(forKey: session) { worker.retire(client) }
        if let dictation, dictation.session == session { finished(dictation) }
    }

    /// The session of a typing has ended, or did not begin.
    func finished(_ typing: SessionTyping) {
        guard typing.end == nil else { return }
        endings += 1
        typing.close { [weak self] in
            guard let self else { return }
            endings -= 1
            defer { worker.updateNeed() }
            if typing.hasBegun { typedEnd = typing.typedEnd }
            worker.retire(typing.client)
            // Another may have begun.
            guard dictation === typing else { return }
            dictation = nil
            if typing.canUndo, !isEnding { keep(typing) }
        }
    }

    private func keep(_ typing: SessionTyping) {
        past = typing
        pastTimer?.cancel()
        pastTimer = EventLoopActor.schedule(after: Self.undoTime) { [weak self] in
            self?.past = nil
            self?.worker.updateNeed()
        }
    }

    // MARK: Keys

    private static let nothingTypes = Refusal(
        .notRunning, "Nothing types into windows now. “dictation-cli type” does.")

    /// The dictation that is not ending.
    private func running() throws(Refusal) -> SessionTyping {
        guard let dictation, dictation.end == nil else { throw Self.nothingTypes }
        return dictation
    }

    private func toggle(_ options: [BusText: Value], _ call: MethodCall, from client: Client) {
        if let dictation, dictation.end == nil {
            dictation.finish()
            return call.reply(DictationTypingReply.toggle(began: false).body)
        }
        worker.startForDesktop(options, call, from: client)
    }

    /// Makes a call on the session of the dictation.
    private func pass(_ request: Request, _ call: MethodCall) throws(Refusal) {
        let typing = try running()
        let id = worker.messageSender.keep { result in
            switch result {
            case .success: call.reply(DictationTypingReply.done.body)
            case .failure(let refusal): call.fail(DBusError(refusal))
            }
        }
        worker.dictation.post(.call(id, from: typing.client, request))
    }

    private func undo(_ call: MethodCall) throws(Refusal) {
        func answer(_ refusal: Refusal?) {
            if let refusal { return call.fail(DBusError(refusal)) }
            call.reply(DictationTypingReply.done.body)
        }
        if let dictation, dictation.end == nil { return dictation.undo(answer) }
        // One that is ending is the last one too.
        guard let last = dictation?.hasBegun == true ? dictation : past else { throw Self.nothingTypes }
        // The next dictation opens its route after this one is closed again.
        useRoute {
            await withCheckedContinuation { done in last.undo { done.resume(returning: answer($0)) } }
        }
    }

    // MARK: The end of the worker

    /// All sessions have ended. Returns when the user has the own input method again.
    /// - Parameter abandons: types nothing more.
    func shutDown(abandons: Bool = false) async {
        isEnding = true
        past = nil
        pastTimer?.cancel()
        if let lease { release(lease, .shutdown) }
        _ = await beginning?.result
        await closing?.value
        dictation?.close(abandons: abandons) {}
        await dictation?.end?.value
        await lastEnd?.value
    }
}
