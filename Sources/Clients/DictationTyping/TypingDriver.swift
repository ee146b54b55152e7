public import DictationClient
public import EventLoop
public import Typing
public import TypingRoutes

/// Types what a session dictates: composes the session's events, the rules of a ``Typist``, and a route.
///
/// ```swift
/// let driver = TypingDriver(routes: [IBusRoute(environment: …)]) { report in … }
/// try await driver.open()
/// let session = try await client.start()
/// try await driver.type(session)
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
    private var blockText = BlockText()
    private var session: DictationSession?
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
    /// How long typing may continue after the end of the session.
    private static let idleTimeout: Duration = .seconds(60)
    /// How long typing may continue before a suspension.
    private static let suspensionTimeout: Duration = .seconds(1)
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

    /// Opens the best route: the first that reports a field with the focus, else the first that works.
    /// - Returns: the route, and why those before it do not work.
    /// - Throws: ``RouteFailures`` if none works.
    public func open() async throws(RouteFailures) -> (name: String, failures: RouteFailures) {
        var failures = RouteFailures()
        var withoutField: [any TypingRoute] = []
        for candidate in routes {
            guard await open(candidate, &failures) else { continue }
            await waitForField()
            if let loss = loss.take() {
                failures.add(candidate.name, loss)
                await closeRoute()
                continue
            }
            if field != nil { return opened(candidate, failures) }
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

    private func forgetField() {
        guard field != nil else { return }
        field = nil
        process(.field(nil))
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
            self.field = field
            process(.field(field))
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

    /// Types what a session dictates until it has stopped.
    /// - Parameter observe: called with each event after it was typed.
    public func type(
        _ session: DictationSession, _ observe: @escaping @EventLoopActor (DictationEvent) -> Void = { _ in }
    ) async throws(DictationError) {
        self.session = session
        begin()
        defer { end() }
        for try await event in session.events {
            type(event)
            observe(event)
        }
    }

    func begin() {
        isDictating = true
        typedBlocks = []
        blockText.clear()
        process(.begin(block: 1))
    }

    func end() {
        guard isDictating else { return }
        isDictating = false
        session = nil
        process(.end)
    }

    func type(_ event: DictationEvent) {
        switch event {
        case .partial(let partial):
            guard partial.block >= blockText.block else { return }
            blockText.apply(partial)
            process(.partial(block: partial.block, text: blockText.text))
        case .final(let final):
            if final.block >= blockText.block { blockText.clear() }
            process(.final(block: final.block, text: final.text, hasInitialCapital: final.hasInitialCapital))
        case .retracted(let retraction):
            guard retraction.block != blockText.block else {
                blockText.apply(retraction)
                return process(.partial(block: retraction.block, text: blockText.text))
            }
            process(.retracted(block: retraction.block, offset: Int(clamping: retraction.offset)))
        default:
            break
        }
    }

    // MARK: Undo

    /// Whether there are words that are not final yet.
    public var hasLiveText: Bool { !blockText.isEmpty }

    /// The block was cancelled.
    public func discard(_ block: UInt64) {
        if block >= blockText.block { blockText.clear() }
        process(.cancelled(block: block))
    }

    /// Whether something that was typed in this dictation can be taken back.
    public var hasTypedText: Bool { !typedBlocks.isEmpty }

    /// Deletes the text that was typed last in this dictation, also after its end. One caller at a time.
    /// - Returns: why it was not deleted; nil if it was.
    public func takeBackLast() async -> RetractionProblem? {
        guard undo == nil, let block = typedBlocks.popLast() else { return .notHere }
        undo = Undo(block: block)
        process(.retracted(block: block, offset: 0))
        let isDone = await undoWaiter.wait(within: Self.undoTimeout) { undo?.isDone == true }
        let problem = isDone ? undo?.problem : .unseen
        undo = nil
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
        let kept = abandon()
        await closeRoute()
        return kept
    }

    /// Ends the dictation without waiting: text that was not typed until now is kept. Call ``close()`` after it.
    /// - Returns: the texts that were not typed, or perhaps not, the oldest first.
    @discardableResult
    public func abandon() -> [TypingOutcome] {
        end()
        process(.field(nil))
        resumeIdleWaiters()
        return kept
    }

    /// Closes the route for a while, so that other programs have the input method. Text waits for ``open()``.
    public func suspend() async {
        await waitUntilIdle(within: Self.suspensionTimeout)
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
            case .split: split()
            }
        }
        if !actions.isEmpty { route?.perform(actions) }
        for report in reports { self.report(report) }
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

    /// The words so far belong to the field before this one.
    private func split() {
        guard let session else { return }
        Task {
            // If the session ends meanwhile, it commits by itself or has nothing to commit.
            _ = try? await session.commit()
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
