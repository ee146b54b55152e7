public import EventLoop
public import Typing
public import TypingRoutes

/// Types what a session dictates: composes the session's events, the rules of a ``Typist``, and a route.
///
/// ```swift
/// let driver = TypingDriver(routes: [IBusRoute(environment: …)]) { report in … }
/// try await driver.open()
/// driver.begin { … }
/// driver.type(.final(block: 1, text: "hello", hasInitialCapital: false))
/// let kept = await driver.close()
/// ```
@EventLoopActor
public final class TypingDriver {
    /// An event of typing.
    public enum Report: Sendable {
        /// The outcome of a block. Reported again when it changes.
        case outcome(TypingOutcome)
        /// Text that was taken back was not deleted.
        case retractionFailed(RetractionProblem)
        /// The route has failed. From now on text is kept.
        case lost(RouteError)
    }

    private let routes: [any TypingRoute]
    private let report: @EventLoopActor (Report) -> Void
    private var route: (any TypingRoute)?
    private(set) var typist: Typist
    /// A route was chosen.
    private var isOpen = false
    /// Why the route that is tried works no longer.
    private var loss: RouteError?
    private var spoken = GrowingText()
    /// Whether a secret field has the focus, as last reported.
    private var isSecret = false
    private var secretFieldChanged: @EventLoopActor (Bool) -> Void = { _ in }
    /// The current block, and the lasting name of its field; as it was reported.
    private var home: Home?
    private var homeChanged: @EventLoopActor (Home) -> Void = { _ in }
    /// Commits the current block of the session.
    private var commit: @EventLoopActor () -> Void = {}
    var isDictating = false
    /// The field with the focus, as last reported by the route.
    public private(set) var field: TextField?
    private var fieldWaiters: [CheckedContinuation<Void, Never>] = []
    private let textWaiter = ChangeWaiter()
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []
    /// Texts that were not typed, or perhaps not, the oldest first.
    var kept: [TypingOutcome] = []
    /// The blocks of this dictation that were typed, the latest last.
    var typedBlocks: [UInt64] = []
    /// What was typed last, after ``close()``; nil if its field has lost the focus.
    public private(set) var typedEnd: Typist.TypedEnd?
    /// The insertion in progress of a program that has a field.
    var insertion: Insertion?
    let insertionWaiter = ChangeWaiter()
    private var undo: Undo?
    private let undoWaiter = ChangeWaiter()

    /// A block that is being taken back.
    private struct Undo {
        var block: UInt64
        var isDone = false
        var problem: RetractionProblem?
    }

    private let fieldTimeout: Duration
    /// How long typing may continue after the end of the session, and before a suspension.
    private static let idleTimeout: Duration = .seconds(60)
    /// How long a field may need to report that text was deleted.
    private static let undoTimeout: Duration = .seconds(3)

    /// - Parameters:
    ///   - routes: the routes to try, the best first.
    ///   - fieldTimeout: how long to wait for a route to report a field before trying the next.
    public init(
        routes: [any TypingRoute], style: TypingStyle = TypingStyle(),
        fieldTimeout: Duration = .milliseconds(1500),
        report: @escaping @EventLoopActor (Report) -> Void
    ) {
        self.routes = routes
        self.fieldTimeout = fieldTimeout
        self.report = report
        typist = Typist(style: style)
    }

    // MARK: The route

    /// Opens the best route: the first that reports a field with the focus or every field, else the first that works.
    /// - Returns: the route, and why those before it do not work.
    /// - Throws: ``RouteFailures`` if none works.
    public func open() async throws(RouteFailures) -> (name: String, failures: RouteFailures) {
        var failures = RouteFailures()
        var withoutField: [any TypingRoute] = []
        for candidate in routes {
            guard await open(candidate, &failures) else { continue }
            if !candidate.reportsEveryField { await waitForField() }
            if let loss = loss.take() {
                failures.add(candidate.name, loss)
                await closeRoute()
                continue
            }
            if field != nil || candidate.reportsEveryField { return opened(candidate, failures) }
            withoutField.append(candidate)
            if candidate !== routes.last || withoutField.count > 1 { await closeRoute() }
        }
        for candidate in withoutField {
            if route === candidate { return opened(candidate, failures) }
            if await open(candidate, &failures) { return opened(candidate, failures) }
        }
        throw failures
    }

    private func opened(
        _ candidate: any TypingRoute, _ failures: RouteFailures
    ) -> (name: String, failures: RouteFailures) {
        isOpen = true
        return (candidate.name, failures)
    }

    private func open(_ candidate: any TypingRoute, _ failures: inout RouteFailures) async -> Bool {
        route = candidate
        loss = nil
        do throws(RouteError) {
            // The route holds this until it is closed.
            try await candidate.open { [weak self, weak candidate] event in
                if let candidate { self?.handle(event, from: candidate) }
            }
            return true
        } catch {
            route = nil
            forgetField()
            failures.add(candidate.name, error)
            return false
        }
    }

    /// No route is open. What it has not confirmed is doubtful.
    private func forgetField() {
        change(to: nil)
        process(.lost)
    }

    /// What is said from now on is for this field. A block that is split off is still for the field before.
    private func change(to field: TextField?) {
        self.field = field
        let isSecret = field?.isSecret == true
        if !isSecret { setSecret(false) }
        process(.field(field))
        if isSecret { setSecret(true) }
    }

    private func closeRoute() async {
        let closing = route
        route = nil
        forgetField()
        await closing?.close()
    }

    private func waitForField() async {
        guard field == nil, loss == nil else { return }
        let timer = EventLoopActor.schedule(after: fieldTimeout) { [weak self] in
            self?.resumeFieldWaiters()
        }
        await withCheckedContinuation { fieldWaiters.append($0) }
        timer.cancel()
    }

    /// Waits until the field with the focus has reported its text, if there is a field. Some need a moment.
    public func waitForText(within timeout: Duration) async {
        _ = await textWaiter.wait(within: timeout) { field.map { $0.surrounding != nil } ?? true }
    }

    private func resumeFieldWaiters() {
        let waiters = fieldWaiters
        fieldWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    private func handle(_ event: RouteEvent, from source: any TypingRoute) {
        guard source === route else { return }
        switch event {
        case .field(let field):
            change(to: field)
            textWaiter.resume()
            if field != nil { resumeFieldWaiters() }
        case .committed(let token, let arrival):
            process(.committed(token: token, arrival))
        case .lost(let error):
            field = nil
            process(.lost)
            guard isOpen else {
                loss = error
                return resumeFieldWaiters()
            }
            report(.lost(error))
        }
    }

    // MARK: The session

    /// What the dictation before has typed last. Call it before ``open()``.
    public func recall(_ end: Typist.TypedEnd?) { typist.recall(end) }

    /// A block, and the name of its field as of ``TypingRoute/lastingName(of:)``; empty if there is none.
    public struct Home: Hashable, Sendable {
        public var block: UInt64
        public var field: String

        public init(block: UInt64, field: String) {
            self.block = block
            self.field = field
        }
    }

    /// Whether the field of this name has the focus, and has not lost it since it had this name.
    public func hasFocus(_ name: String) -> Bool {
        !name.isEmpty && field.flatMap { route?.lastingName(of: $0) } == name
    }

    private func reportHome() {
        guard isDictating, let block = typist.currentBlock, insertion == nil else { return }
        let name = typist.home.flatMap { route?.lastingName(of: $0) } ?? ""
        // A route that is closed for a while has no names.
        guard route != nil, home != Home(block: block, field: name) else { return }
        let home = Home(block: block, field: name)
        self.home = home
        homeChanged(home)
    }

    /// A session begins, with block 1.
    /// - Parameters:
    ///   - restored: the block of a session that returns after a failure of the service. It is typed only if its field has not
    ///     lost the focus.
    ///   - commit: commits the current block of the session, whose words so far belong to another field.
    ///   - secretFieldChanged: called with true when a secret field gets the focus, and with false when it has lost it.
    ///   - homeChanged: called with the name of the field of the current block.
    public func begin(
        restoring restored: Home? = nil, commit: @escaping @EventLoopActor () -> Void = {},
        secretFieldChanged: @escaping @EventLoopActor (Bool) -> Void = { _ in },
        homeChanged: @escaping @EventLoopActor (Home) -> Void = { _ in }
    ) {
        isDictating = true
        typedBlocks = []
        spoken = GrowingText()
        self.commit = commit
        self.secretFieldChanged = secretFieldChanged
        isSecret = false
        self.homeChanged = homeChanged
        home = nil
        let isLost = restored.map { !hasFocus($0.field) } ?? false
        let block = restored?.block ?? 1
        process(isLost ? .restored(block: block) : .begin(block: block))
        setSecret(field?.isSecret == true)
    }

    /// The session has ended.
    public func end() {
        guard isDictating else { return }
        isDictating = false
        commit = {}
        secretFieldChanged = { _ in }
        homeChanged = { _ in }
        process(.end)
    }

    /// Types what the session reports.
    public func type(_ event: SpokenEvent) {
        switch event {
        case .partial(let block, let offset, let stable, let volatile):
            guard block >= spoken.block else { return }
            spoken.grow(block, at: offset, stable, volatile)
            process(.partial(block: block, text: spoken.text))
        case .final(let block, let text, let hasInitialCapital):
            if block >= spoken.block { spoken = GrowingText() }
            process(.final(block: block, text: text, hasInitialCapital: hasInitialCapital))
        case .withheld(let block):
            if block >= spoken.block { spoken = GrowingText() }
            process(.withheld(block: block))
        case .retracted(let block, let offset):
            guard block != spoken.block else {
                spoken.cut(at: offset)
                return process(.partial(block: block, text: spoken.text))
            }
            process(.retracted(block: block, offset: offset))
        }
    }

    private func setSecret(_ isSecret: Bool) {
        guard isDictating, isSecret != self.isSecret else { return }
        self.isSecret = isSecret
        secretFieldChanged(isSecret)
    }

    // MARK: Undo

    /// Whether there are words that are not final yet.
    public var hasLiveText: Bool { !spoken.isEmpty }

    /// The block was cancelled.
    public func discard(_ block: UInt64) {
        if block >= spoken.block { spoken = GrowingText() }
        process(.cancelled(block: block))
    }

    /// Whether something that was typed in this dictation can be taken back.
    public var hasTypedText: Bool { !typedBlocks.isEmpty }

    /// Deletes the text that was typed last in this dictation, also after its end. One caller at a time.
    /// - Returns: why it was not deleted; nil if it was. Text that is not here can be deleted later.
    public func takeBackLast() async -> RetractionProblem? {
        guard undo == nil, let block = typedBlocks.popLast() else { return .notHere }
        let place = typedBlocks.count
        undo = Undo(block: block)
        process(.retracted(block: block, offset: 0))
        let isDone = await undoWaiter.wait(within: Self.undoTimeout) { undo?.isDone == true }
        let problem = isDone ? undo?.problem : .unseen
        undo = nil
        if problem == .notHere, !typedBlocks.contains(block) {
            typedBlocks.insert(block, at: min(place, typedBlocks.count))
        }
        return problem
    }

    private func finishUndo(of block: UInt64, _ problem: RetractionProblem?) {
        guard undo?.block == block else { return }
        undo = Undo(block: block, isDone: true, problem: problem)
        undoWaiter.resume()
    }

    // MARK: The end

    /// Waits until what was dictated is typed, and closes the route.
    /// - Returns: the texts that were not typed, or perhaps not, the oldest first.
    public func close() async -> [TypingOutcome] {
        end()
        await waitUntilIdle(within: Self.idleTimeout)
        typedEnd = typist.typedEnd
        let kept = abandon()
        await closeRoute()
        return kept
    }

    /// Ends the dictation without waiting: text that was not typed until now is kept. Call ``close()`` after it.
    /// - Returns: the texts that were not typed, or perhaps not, the oldest first.
    @discardableResult
    public func abandon() -> [TypingOutcome] {
        end()
        forgetField()
        resumeIdleWaiters()
        return kept
    }

    /// Closes the route for a while, so that other programs have the input method. Text waits for ``open()``.
    public func suspend() async {
        await waitUntilIdle(within: Self.idleTimeout)
        isOpen = false
        await closeRoute()
    }

    private func waitUntilIdle(within timeout: Duration) async {
        guard route != nil, typist.isBusy else { return }
        let timer = EventLoopActor.schedule(after: timeout) { [weak self] in self?.resumeIdleWaiters() }
        await withCheckedContinuation { idleWaiters.append($0) }
        timer.cancel()
    }

    /// Replaces the style, for text from now on.
    public func setStyle(_ style: TypingStyle) { process(.style(style)) }

    private func resumeIdleWaiters() {
        let waiters = idleWaiters
        idleWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    // MARK: Effects

    func process(_ event: TypingEvent) {
        var actions: [TypingAction] = []
        var reports: [Report] = []
        for effect in typist.handle(event) {
            switch effect {
            case .perform(let action): actions.append(action)
            case .wait(let token, let time):
                EventLoopActor.schedule(after: time) { [weak self] in self?.process(.elapsed(token: token)) }
            case .outcome(let outcome):
                record(outcome)
                reports.append(.outcome(outcome))
            case .retractionFailed(let block, let problem):
                finishUndo(of: block, problem)
                reports.append(.retractionFailed(problem))
            case .split: commit()
            }
        }
        if !actions.isEmpty { route?.perform(actions) }
        for report in reports { self.report(report) }
        reportHome()
        if !typist.isBusy { resumeIdleWaiters() }
    }

    private func record(_ outcome: TypingOutcome) {
        recordInsertion(outcome)
        kept.removeAll { $0.id == outcome.id }
        switch outcome.state {
        case .kept, .doubtful: kept.append(outcome)
        case .arrived, .sent:
            if !typedBlocks.contains(outcome.block) { typedBlocks.append(outcome.block) }
        case .retracted:
            typedBlocks.removeAll { $0 == outcome.block }
            finishUndo(of: outcome.block, nil)
        }
    }
}

/// Why routes do not work, in the order in which they were tried.
public struct RouteFailures: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Failure: Hashable, Sendable {
        public var route: String
        public var error: RouteError
    }

    public private(set) var all: [Failure] = []

    public init() {}

    public mutating func add(_ route: String, _ error: RouteError) {
        all.append(Failure(route: route, error: error))
    }

    public var description: String {
        all.isEmpty
            ? "Typing is not possible here."
            : all.map { "\($0.route): \($0.error)" }.joined(separator: "\n")
    }
}
