import DBus
import DictationBus
import DictationCore
import DictationInterface
import DictationTyping
import EventLoop
import Localization
import Typing
import TypingRoutes

/// Types what one session dictates.
///
/// While the session is paused and nothing waits to be typed, the route is closed, so that the user has the own input method.
@EventLoopActor
final class SessionTyping {
    /// Who gets what the user must know.
    enum Audience {
        /// The connection that owns the session.
        case owner(BusName)
        /// Nobody else: notifications on the desktop; nil where there are none.
        case desktop(DesktopNotifier?)
    }

    /// A call on the session of ``client``, as if that had made it.
    typealias Call =
        @EventLoopActor (
            Request, Client, @escaping @EventLoopActor (Result<Reply, Refusal>) -> Void
        ) -> Void

    /// Of the session.
    let client: Client
    private let driver: TypingDriver
    private let choice: RouteChoice
    private let audience: Audience
    private let call: Call
    private let signal: @EventLoopActor (DictationTypingSignal, BusName) -> Void
    /// Keeps the field of the current block for the service after a crash.
    private let keepField: @EventLoopActor (TypingDriver.Home, SessionID) -> Void
    /// Set before the session begins.
    private(set) var session: SessionID?
    /// The session has begun. Its text is typed when this has begun too.
    private var hasSession = false
    private var style: TypingStyle
    /// Its name for people.
    private(set) var route = ""
    private(set) var hasBegun = false
    /// Text of a session that has returned, until this has begun.
    private var early: [SessionSignal] = []
    /// The session is to end as soon as it has begun.
    private var endsAtOnce = false
    private var isPaused = false
    private var isSuspended = false
    /// Of the words before a pause that are still being recognised.
    private var pauseTimer: EventLoop.Timer?
    /// Closes the route and opens it, one after the other.
    private var routeWork: Task<Void, Never>?
    private(set) var end: Task<Void, Never>?
    /// The last notification about each text.
    private var notices: [UInt64: UserText] = [:]
    private let untyped: UntypedTexts
    private static let copied: UserText = "It is on the clipboard."
    /// Whether each text that was to be copied is on the clipboard.
    private var copies: [UInt64: Bool] = [:]
    /// The reports, in their order: copying a text takes a moment.
    private var reporting: Task<Void, Never>?

    /// How long a field may need to report its text.
    private static let textTimeout = Duration.milliseconds(200)
    /// The same for a field that gets the focus again, before text is taken back.
    private static let undoTimeout = Duration.milliseconds(500)

    /// How long words may come after a pause.
    private static let pauseTime = Duration.seconds(2)

    /// - Parameter mayCopy: whether text that could not be typed is put on the clipboard.
    init(
        of client: Client, _ request: TypingRequest, for audience: Audience,
        mayCopy: @escaping @EventLoopActor () -> Bool, call: @escaping Call,
        signal: @escaping @EventLoopActor (DictationTypingSignal, BusName) -> Void,
        keepField: @escaping @EventLoopActor (TypingDriver.Home, SessionID) -> Void
    ) {
        self.keepField = keepField
        self.client = client
        self.audience = audience
        self.call = call
        self.signal = signal
        choice = request.choice
        untyped = UntypedTexts(environment: choice.environment, mayCopy: mayCopy)
        style = TypingStyle(showsLiveText: request.showsLiveText)
        let report = Report()
        driver = TypingDriver(routes: choice.routes(), style: style) {
            report.handle($0)
        }
        report.handle = { [weak self] in self?.handle($0) }
    }

    /// The driver needs a handler before this object is complete.
    @EventLoopActor
    private final class Report {
        var handle: @EventLoopActor (TypingDriver.Report) -> Void = { _ in }
    }

    // MARK: The beginning

    /// A session begins right after this.
    func attach(to session: SessionID) { self.session = session }

    /// The session has begun.
    func sessionBegan() {
        hasSession = true
        if endsAtOnce { finish() }
    }

    /// Opens the best route.
    /// - Parameter typedEnd: what the dictation before has typed last.
    func open(after typedEnd: Typist.TypedEnd?) async throws(Refusal) {
        driver.recall(typedEnd)
        let work = Task { () -> Result<String, RouteFailures> in
            do throws(RouteFailures) {
                let name = try await driver.open().name
                isSuspended = false
                await driver.waitForText(within: Self.textTimeout)
                return .success(name)
            } catch {
                return .failure(error)
            }
        }
        routeWork = Task { [routeWork] in
            await routeWork?.value
            _ = await work.value
        }
        do throws(RouteFailures) {
            route = try await work.value.get()
        } catch {
            throw Refusal(.notSupported, "\(error)\n\(RouteChoice.routeRemedy.english)")
        }
    }

    /// Says where the windows are.
    var environment: [String: String] { choice.environment }

    /// Start's options with what the window decides: its application, and whether text can be taken back by spoken commands.
    func complete(_ options: [BusText: Value]) -> [BusText: Value] {
        var options = options
        if options[StartOption.commands] == nil, driver.field?.canDelete == true {
            options[StartOption.commands] = .bool(true)
        }
        if options[StartOption.application] == nil, let application = driver.field?.application,
            !application.isEmpty, application.utf8.count <= Self.nameLimit
        {
            options[StartOption.application] = .string(BusText(application))
        }
        return options
    }

    /// Longer names of applications are not used.
    private static let nameLimit = 200

    /// The route is open: types the text of the session.
    /// - Parameters:
    ///   - restored: the block of a session that returns after a failure of the service.
    ///   - failure: why it cannot be typed, if it returns without a route.
    func begin(
        _ options: StartOptions, restoring restored: TypingDriver.Home? = nil, failure: Refusal? = nil
    ) {
        hasBegun = true
        style.isFormatted = options.formatting != nil
        style.fitsCapitals = style.isFormatted
        style.language = options.transcription.language
        driver.setStyle(style)
        driver.begin(restoring: restored) { [weak self] in
            self?.control(.commit)
        } secretFieldChanged: { [weak self] hasFocus in
            self?.control(.secretField(hasFocus))
        } homeChanged: { [weak self] home in
            if let self, let session { keepField(home, session) }
        }
        for signal in early { follow(signal) }
        early = []
        if let failure { return fail(failure.message) }
        sendBeginning()
        if isPaused { closeRouteSoon() }
    }

    /// Whether the field of this name has not lost the focus since it had the name.
    func hasFocus(_ field: String) -> Bool { driver.hasFocus(field) }

    private func sendBeginning() {
        let field = driver.field.map { $0.isSecret ? "secret" : "text" } ?? "none"
        var details: [BusText: Value] = [TypingKey.field: .string(BusText(field))]
        let notice = fieldNotice
        details[TypingKey.message] = notice.map { .string(BusText($0.english)) }
        switch audience {
        case .owner(let owner):
            signal(.began(session: session?.rawValue ?? 0, route: route, details: details), owner)
        case .desktop(let notifier): if let notice { notifier?.show(notice.description) }
        }
    }

    /// What to do if text cannot be typed now.
    private var fieldNotice: UserText? {
        guard let field = driver.field else {
            return "\("No text field has the focus yet." as UserText) \(choice.fieldRemedy)"
        }
        return field.isSecret ? "A password field has the focus. Dictation does not type there." : nil
    }

    // MARK: The session

    func follow(_ event: SessionSignal) {
        switch event {
        case .partial where !hasBegun, .final where !hasBegun, .retracted where !hasBegun: early.append(event)
        case .partial(let block, let offset, let stable, let volatile):
            driver.type(.partial(block: block, offset: offset, stable: stable, volatile: volatile.text))
        case .final(let block):
            driver.type(
                block.isWithheld
                    ? .withheld(block: block.number)
                    : .final(
                        block: block.number, text: block.text, hasInitialCapital: block.hasInitialCapital))
            guard isPaused else { break }
            setRoute(isOpen: true)
            setRoute(isOpen: false)
        case .retracted(let block, let offset, _): driver.type(.retracted(block: block, offset: offset))
        case .stateChanged(let state, let cause, _, _):
            guard cause != .stopped, isPaused != (state == .paused) else { break }
            isPaused = state == .paused
            pauseTimer?.cancel()
            guard hasBegun else { break }
            isPaused ? closeRouteSoon() : setRoute(isOpen: true)
        case .error(let refusal): showFailure(refusal)
        default: break
        }
    }

    private func closeRouteSoon() {
        pauseTimer?.cancel()
        pauseTimer = EventLoopActor.schedule(after: Self.pauseTime) { [weak self] in
            if let self, isPaused, !driver.hasLiveText { setRoute(isOpen: false) }
        }
    }

    /// Ends the session. Speech so far is still typed.
    func finish() {
        guard hasSession else {
            endsAtOnce = true
            return
        }
        call(.commit, client) { [self] result in
            // A session that has ended has nothing to commit.
            if case .failure(let refusal) = result, refusal.kind != .notRunning { showFailure(refusal) }
        }
        control(.stop)
    }

    /// Ends the session, and types nothing more.
    func abandon() {
        driver.abandon()
        finish()
    }

    private func control(_ request: Request) { call(request, client) { _ in } }

    /// A connection gets the session's errors itself.
    private func showFailure(_ refusal: Refusal) {
        guard case .desktop(let notifier) = audience else { return }
        notifier?.show(Catalogue.translation(ofMessage: refusal.message))
    }

    private func setRoute(isOpen: Bool) {
        routeWork = Task { [routeWork] in
            await routeWork?.value
            guard isSuspended == isOpen else { return }
            guard isOpen else {
                await driver.suspend()
                isSuspended = true
                return
            }
            do throws(RouteFailures) {
                _ = try await driver.open()
                isSuspended = false
            } catch {
                fail("\(error)")
            }
        }
    }

    // MARK: Undo

    /// Discards the words that are not final yet; if there are none, deletes the text that was typed last.
    func undo(_ completion: @escaping @EventLoopActor (Refusal?) -> Void) {
        guard end == nil, driver.hasLiveText else {
            Task { completion(await takeBackLast()) }
            return
        }
        call(.cancel, client) { [self] result in
            switch result {
            case .success(.cancelled(let block)):
                driver.discard(block)
                if isPaused { setRoute(isOpen: false) }
                completion(nil)
            case .success: completion(nil)
            case .failure(let refusal): completion(refusal)
            }
        }
    }

    /// After what the route does already and the end, and before what the route does later.
    private func takeBackLast() async -> Refusal? {
        let work = Task { [routeWork, end] in
            await routeWork?.value
            await end?.value
            return await takeBack()
        }
        routeWork = Task { _ = await work.value }
        return await work.value
    }

    private func takeBack() async -> Refusal? {
        if isSuspended {
            do throws(RouteFailures) {
                _ = try await driver.open()
            } catch {
                return Refusal(.notRunning, "\(error)")
            }
            await driver.waitForText(within: Self.undoTimeout)
        }
        let problem = await driver.takeBackLast()
        if isSuspended { await driver.suspend() }
        return problem.map { Refusal(.notRunning, $0.phrase.english) }
    }

    /// What was typed last, after the end.
    var typedEnd: Typist.TypedEnd? { driver.typedEnd }

    /// Whether text of the session that has ended can be taken back.
    var canUndo: Bool { driver.hasTypedText }

    // MARK: The end

    /// The session has ended, or did not begin. Types what is left, and restores the user's input method.
    /// - Parameter abandons: types nothing more.
    func close(abandons: Bool = false, _ closed: @escaping @EventLoopActor () -> Void) {
        guard end == nil else { return }
        if abandons { driver.abandon() }
        pauseTimer?.cancel()
        end = Task { [routeWork] in
            await routeWork?.value
            let kept = await driver.close()
            isSuspended = true
            for outcome in kept { report(outcome, isLast: true) }
            await reporting?.value
            if hasSession, case .owner(let owner) = audience {
                signal(.ended(session: session?.rawValue ?? 0, details: [:]), owner)
            }
            closed()
        }
    }

    // MARK: What the user must know

    private func handle(_ event: TypingDriver.Report) {
        switch event {
        case .outcome(let outcome): report(outcome, isLast: false)
        case .retractionFailed(let problem): reportFailure(problem.phrase.english, why: problem.word)
        case .lost(let error): fail("\(error)")
        }
    }

    /// The route works no longer.
    private func fail(_ message: String) {
        reportFailure(message, why: "route-lost")
        finish()
    }

    /// - Parameter why: for programs, as in the signal Failed.
    private func reportFailure(_ message: String, why: BusText) {
        switch audience {
        case .owner(let owner):
            let details = [TypedKey.why: Value.string(why)]
            signal(.failed(session: session?.rawValue ?? 0, message: message, details: details), owner)
        case .desktop(let notifier): notifier?.show(Catalogue.translation(ofMessage: message))
        }
    }

    /// - Parameter isLast: nothing changes it any more.
    private func report(_ outcome: TypingOutcome, isLast: Bool) {
        let isForClipboard =
            outcome.state.isForClipboard && (isLast || outcome.state.isLasting) && copies[outcome.id] == nil
        guard isForClipboard || reporting != nil else { return send(outcome, isLast: isLast) }
        if isForClipboard { copies[outcome.id] = false }
        reporting = Task { [reporting] in
            await reporting?.value
            if isForClipboard { copies[outcome.id] = await untyped.copy(outcome.text) }
            send(outcome, isLast: isLast)
        }
    }

    private func send(_ outcome: TypingOutcome, isLast: Bool) {
        let notice = outcome.state.notice(isLast: isLast).map { notice -> UserText in
            let remedy = outcome.state == .kept(.noField) ? choice.keysRemedy : nil
            let parts = [notice, copies[outcome.id] == true ? Self.copied : nil, remedy].compactMap(\.self)
            return parts.dropFirst().reduce(parts[0]) { "\($0) \($1)" }
        }
        switch audience {
        case .owner(let owner):
            var details: [BusText: Value] = [TypedKey.number: .uint64(outcome.id)]
            details[TypedKey.message] = notice.map { .string(BusText($0.english)) }
            if case .kept(let reason) = outcome.state { details[TypedKey.why] = .string(reason.word) }
            if outcome.state == .arrived { details[TypedKey.seen] = .bool(true) }
            if outcome.state.isLasting || isLast { details[TypedKey.last] = .bool(true) }
            signal(
                .typed(
                    session: session?.rawValue ?? 0, block: outcome.block,
                    outcome: outcome.state.word.rawValue, text: outcome.text, details: details), owner)
        case .desktop(let notifier):
            if let notice, notices.updateValue(notice, forKey: outcome.id) != notice {
                notifier?.show(notice.description, outcome.text)
            }
        }
    }
}

extension TypingOutcome.State {
    fileprivate var word: TypedOutcome {
        switch self {
        case .arrived, .sent: .typed
        case .doubtful: .doubtful
        case .retracted: .retracted
        case .kept(.left): .moved
        case .kept: .refused
        }
    }

    /// Whether the text will not be typed later.
    fileprivate var isLasting: Bool { self != .kept(.left) && self != .doubtful }

    /// Whether the user is to have the text on the clipboard. What was said in a password field may be a password.
    fileprivate var isForClipboard: Bool {
        switch self {
        case .kept(let reason): reason != .password
        case .arrived, .sent, .doubtful, .retracted: false
        }
    }

    /// For people; nil if the text was typed.
    fileprivate func notice(isLast: Bool) -> UserText? {
        switch self {
        case .kept(.left) where isLast: "Not typed: another field had the focus until the end."
        case .arrived, .sent, .retracted: nil
        case .doubtful:
            "Perhaps not typed: the focus moved or the connection was lost at the same time. Please check."
        case .kept(let reason): reason.notice
        }
    }
}

extension RetractionProblem {
    fileprivate var word: BusText {
        switch self {
        case .notHere: "not-here"
        case .unseen: "unseen"
        }
    }

    /// For people.
    fileprivate var phrase: UserText {
        switch self {
        case .notHere:
            "That text is no longer before the cursor, or cannot be deleted here. Delete it by hand."
        case .unseen: "The text field does not show whether that text was deleted. Please check."
        }
    }
}

extension TypingOutcome.Reason {
    fileprivate var word: BusText {
        switch self {
        case .password: "password"
        case .noField: "no-field"
        case .left: "left"
        case .refused: "window"
        case .unfinished: "unfinished"
        case .restarted: "restarted"
        }
    }

    /// Why text was not typed, for people.
    fileprivate var notice: UserText {
        switch self {
        case .password: "Not typed: Dictation does not type into password fields."
        case .noField: "Not typed: no text field had the focus when the text began."
        case .left: "Not typed: another field has the focus. The text is typed if its own field returns."
        case .refused: "Not typed: the window did not take the text."
        case .unfinished: "Not typed: the dictation ended before the text was final."
        case .restarted:
            "Not typed: dictation failed and has started again. Another window may have the focus."
        }
    }
}
