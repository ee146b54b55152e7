import DictationTestKit
public import DictationTyping
public import EventLoop
public import Typing
public import TypingRoutes

/// Types texts that a test sets by a real route, as the service types a session's.
@EventLoopActor
public final class DirectTyping {
    public let driver: TypingDriver
    public private(set) var outcomes: [TypingOutcome] = []
    /// How often words were split off for the field before.
    public private(set) var commits = 0
    /// Whether a secret field has the focus, after each change.
    public private(set) var secrets: [Bool] = []
    /// Why the route has failed.
    public private(set) var loss: RouteError?
    /// The field with the focus.
    public var field: TextField? { driver.field }
    /// The name of the route.
    public let route: String

    private init(_ driver: TypingDriver, route: String) {
        self.driver = driver
        self.route = route
    }

    /// Opens the best of these routes, and begins.
    public static func begin(_ routes: [any TypingRoute]) async throws -> DirectTyping {
        let report = Report()
        let driver = TypingDriver(routes: routes, style: TypingStyle(fitsCapitals: false)) {
            report.handle($0)
        }
        let typing = DirectTyping(driver, route: try await driver.open().name)
        report.handle = { [weak typing] in typing?.handle($0) }
        await driver.waitForText(within: .milliseconds(200))
        driver.begin {
            [weak typing] in
            typing?.commits += 1
        } secretFieldChanged: {
            [weak typing] in
            typing?.secrets.append($0)
        }
        return typing
    }

    @EventLoopActor
    private final class Report {
        var handle: @EventLoopActor (TypingDriver.Report) -> Void = { _ in }
    }

    private func handle(_ report: TypingDriver.Report) {
        switch report {
        case .outcome(let outcome): outcomes.append(outcome)
        case .retractionFailed: break
        case .lost(let error): loss = error
        }
    }

    public func partial(_ text: String, block: UInt64 = 1) {
        driver.type(.partial(block: block, offset: 0, stable: "", volatile: text))
    }

    public func final(_ text: String, block: UInt64 = 1) {
        driver.type(.final(block: block, text: text, hasInitialCapital: false))
    }

    /// Waits until a text is not typed, for this reason.
    public func keeps(_ reason: TypingOutcome.Reason) async throws {
        try await eventually("a text is kept: \(reason), but \(outcomes)") {
            outcomes.contains { $0.state == .kept(reason) }
        }
    }

    /// Waits until a text is not typed.
    public func keepsText() async throws {
        try await eventually("a text is kept, but \(outcomes)") {
            outcomes.contains { if case .kept = $0.state { true } else { false } }
        }
    }

    /// Ends it, and returns the texts that were not typed.
    public func end() async -> [String] {
        await driver.close().filter { $0.state != .doubtful }.map(\.text)
    }
}
