import DictationClient
import DictationTyping
import EventLoop
import Glibc
import Typing
import TypingRoutes

/// Runs `type`: opens a route, starts a session, and ends it with a signal, after the first text, or with the route.
@EventLoopActor
final class TypingCommand {
    private let client: DictationClient
    private var options: StartOptions
    private let endsAfterFirst: Bool
    private let choice: RouteChoice
    private let style: TypingStyle
    private var driver: TypingDriver?
    private var session: DictationSession?
    private var isEnding = false
    /// Texts for which the user was told that they are not typed.
    private var toldTexts: Set<UInt64> = []
    private var signals: Signals?

    init(
        client: DictationClient, options: StartOptions, style: TypingStyle, endsAfterFirst: Bool,
        choice: RouteChoice
    ) throws {
        self.client = client
        self.options = options
        self.style = style
        self.endsAfterFirst = endsAfterFirst
        self.choice = choice
    }

    func run() async throws {
        let driver = TypingDriver(routes: choice.routes(), style: style) { [weak self] in self?.note($0) }
        self.driver = driver
        // From now on the user's input method must be restored.
        signals = try Signals([SIGINT, SIGTERM, SIGHUP, SIGQUIT], on: EventLoopActor.loop) { _ in
            EventLoopActor.execute { [weak self] in self?.interrupt() }
        }
        do throws(RouteFailures) {
            let opened = try await driver.open()
            Output.standardError.note("Typing by \(opened.name).")
        } catch {
            Output.standardError.note("\(error)\nRun “dictation-cli doctor” to see what is missing.")
            throw ExitStatus.unavailable.code
        }
        if driver.field == nil {
            Output.standardError.note("No text field has the focus yet. \(choice.fieldRemedy)")
        } else if driver.field?.isSecret == true {
            Output.standardError.note("A password field has the focus. Dictation does not type there.")
        }
        if driver.field?.canDelete == true, options.formatting == .dictation { options.takesCommands = true }
        let failure = await dictate(driver)
        let kept = await driver.close()
        for outcome in kept { try Output.standardOutput.line(DisplayText.harmless(outcome.text)) }
        if let failure { throw failure }
        if kept.contains(where: { $0.state != .doubtful }) { throw ExitStatus.unavailable.code }
    }

    /// Returns the error, if there was one.
    private func dictate(_ driver: TypingDriver) async -> (any Error)? {
        if isEnding { return nil }
        do {
            let session = try await client.start(options)
            self.session = session
            if isEnding { finish(session) }
            try await driver.type(session) { [weak self] in self?.observe($0) }
            return nil
        } catch {
            return error
        }
    }

    private func observe(_ event: DictationEvent) {
        if let notice = event.notice { Output.standardError.note(notice) }
        if endsAfterFirst, case .final(let final) = event, !final.text.isEmpty { stop() }
    }

    private func note(_ report: TypingDriver.Report) {
        switch report {
        case .outcome(let outcome):
            guard let notice = outcome.state.notice, toldTexts.insert(outcome.id).inserted else { return }
            Output.standardError.note(notice)
        case .retractionFailed(.notHere):
            Output.standardError.note(
                "That text is no longer before the cursor, or cannot be deleted here. Delete it by hand.")
        case .retractionFailed(.unseen):
            Output.standardError.note(
                "The text field does not show whether that text was deleted. Please check.")
        case .lost(let error):
            Output.standardError.note("\(error)")
            stop()
        }
    }

    private func interrupt() {
        if isEnding { exit(ExitStatus.interrupted.rawValue) }
        stop()
    }

    /// Ends the session. Speech so far is still typed.
    private func stop() {
        guard !isEnding else { return }
        isEnding = true
        if let session { finish(session) }
    }

    private func finish(_ session: DictationSession) {
        // Calls are sent in this order. A session that has ended has nothing to commit.
        Task.immediate { _ = try? await session.commit() }
        Task.immediate { try? await session.stop() }
    }
}

extension TypingOutcome.State {
    /// For people; nil if the text was typed.
    fileprivate var notice: String? {
        switch self {
        case .arrived, .sent, .retracted: nil
        case .doubtful:
            "Perhaps not typed: the focus moved or the connection was lost at the same time. Please check."
        case .kept(let reason): "Not typed: \(reason.phrase)"
        }
    }
}

extension TypingOutcome.Reason {
    /// Why text was not typed, for people.
    var phrase: String {
        switch self {
        case .password: "Dictation does not type into password fields."
        case .noField: "no text field had the focus when the text began."
        case .left: "another field has the focus. The text is typed if its own field returns."
        case .refused: "the window did not take the text."
        case .unfinished: "the dictation ended before the text was final."
        }
    }
}
