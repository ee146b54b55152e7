import DictationClient
import DictationInterface
import DictationTyping
import EventLoop
import Glibc
import Typing
import TypingRoutes

/// Runs `type`: opens a route, starts a session, and ends it with a signal, after the first text, or with the route. Starts
/// again when the service has ended, and gives the input method back while it is suspended.
@EventLoopActor
final class TypingCommand {
    private let client: DictationClient
    private var options: StartOptions
    private let endsAfterFirst: Bool
    private let staysForUndo: Bool
    private let choice: RouteChoice
    private var style: TypingStyle
    /// The right to type in this desktop session; nil if there is no folder for it.
    private var turn: TypingTurn?
    private let notices: TypingNotices
    private var driver: TypingDriver?
    private var session: DictationSession?
    private var state = SessionState.starting
    /// Tries to start a session after the service has ended.
    private var restart: Task<DictationSession, any Error>?
    private var isEnding = false
    private var stopRequests = StopRequests()
    /// Ctrl-Z was pressed: closes the route, suspends the program, and opens the route when it continues.
    private var suspension: Task<Void, Never>?
    /// Texts for which the user was told that they are not typed.
    private var notifiedTexts: Set<UInt64> = []
    private var printedTexts: Set<UInt64> = []
    private var outputError: OutputError?
    private var signals: Signals?
    private var control: TypingControl?
    /// The dictation has ended, and its text can still be taken back.
    private var waitsForUndo = false
    private let undoWaiter = ChangeWaiter()

    /// How long the text can be taken back after the end of the dictation.
    private static let undoTime = Duration.seconds(60)

    /// How long another program's typing may take to end.
    private static let turnTimeout = Duration.seconds(3)

    init(
        client: DictationClient, options: StartOptions, style: TypingStyle, endsAfterFirst: Bool,
        staysForUndo: Bool, choice: RouteChoice, notices: TypingNotices
    ) {
        self.client = client
        self.options = options
        self.style = style
        self.endsAfterFirst = endsAfterFirst
        self.staysForUndo = staysForUndo
        self.choice = choice
        self.notices = notices
        self.options.survivesRestart = true
    }

    /// Types until a signal, a call of ``TypingControl``, or the end of the session.
    /// - Parameter staysForUndo: stay a while after the end, so that the text can be taken back.
    /// - Throws: ``TypingTurnTaken`` if another program types already.
    static func run(
        _ busOptions: BusOptions, _ speech: SpeechOptions, _ microphone: MicrophoneOptions,
        _ typing: TypingOptions, endsAfterFirst: Bool = false, staysForUndo: Bool = false,
        notices: TypingNotices
    ) async throws {
        let choice = typing.choice
        var options = StartOptions()
        try speech.apply(to: &options)
        microphone.apply(to: &options)
        options.autoCommit = options.autoCommit ?? .seconds(1)
        let client = try await busOptions.connect()
        let isFormatted = options.formatting == .dictation
        let style = TypingStyle(
            showsLiveText: typing.live, fitsCapitals: isFormatted, language: options.language ?? "",
            isFormatted: isFormatted)
        let command = TypingCommand(
            client: client, options: options, style: style, endsAfterFirst: endsAfterFirst,
            staysForUndo: staysForUndo, choice: choice, notices: notices)
        let control = try await command.acquireTurn()
        let result: Result<Void, any Error>
        do {
            try await OwnPermission.request(client)
            try await microphone.check(client)
            result = .success(try await command.run())
        } catch {
            result = .failure(error)
        }
        await notices.waitUntilShown()
        await control?.end()
        try result.get()
    }

    /// Takes the right to type, and the name by which other programs control this one. Another program's typing ends for
    /// the user's own dictation.
    private func acquireTurn() async throws -> TypingControl? {
        let perform: TypingControl.Perform = { [weak self] in try await self?.perform($0) }
        do throws(TypingTurnTaken) {
            turn = try TypingTurn(environment: choice.environment)
        } catch {
            guard let control = await TypingControl.begin(inPlaceOf: error.owner, perform) else {
                throw error
            }
            do {
                turn = try await TypingTurn.next(environment: choice.environment, within: Self.turnTimeout)
            } catch {
                await control.end()
                throw error
            }
            self.control = control
            return control
        }
        control = await TypingControl.begin(perform)
        return control
    }

    private func run() async throws {
        // The key was released while the user was asked for permission.
        guard !isEnding else { return }
        let driver = TypingDriver(routes: choice.routes(), style: style) { [weak self] in self?.handle($0) }
        self.driver = driver
        // From now on the user's input method must be restored.
        signals = try Signals([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP], on: EventLoopActor.loop) {
            number in EventLoopActor.execute { [weak self] in self?.receive(number) }
        }
        do throws(RouteFailures) {
            let opened = try await driver.open()
            Output.standardError.note(translated("Typing by \(opened.name)."))
        } catch {
            notices.note(translated("\(error)\nRun “dictation-cli doctor” to see what is missing."))
            throw ExitStatus.unavailable.code
        }
        if driver.field == nil {
            notices.note(translated("No text field has the focus yet. \(choice.fieldRemedy)"))
        } else if driver.field?.isSecret == true {
            notices.note(translated("A password field has the focus. Dictation does not type there."))
        }
        await driver.waitForText(within: .milliseconds(200))
        if driver.field?.canDelete == true { options.takesCommands = true }
        let failure = await dictate(driver)
        await suspension?.value
        let kept = await driver.close()
        for outcome in kept { write(outcome) }
        if staysForUndo, failure == nil { await waitForUndo(driver) }
        if let failure { throw failure }
        if let outputError { throw outputError }
        if kept.contains(where: { $0.state != .doubtful }) { throw ExitStatus.unavailable.code }
    }

    // MARK: The session

    /// Returns the error, if there was one.
    private func dictate(_ driver: TypingDriver) async -> (any Error)? {
        var isFirst = true
        while !isEnding {
            do {
                // The first start fails at once, so that the user can do something about it.
                let session = try await isFirst ? client.start(options) : startAgain()
                isFirst = false
                self.session = session
                if isEnding { finish(session) }
                followSettings(session, driver)
                defer { self.session = nil }
                try await driver.type(session) { [weak self] in self?.observe($0) }
                return nil
            } catch let error as DictationError where error.code == .serviceVanished {
                guard !isEnding else { return error }
                notices.note(translated("The dictation service has ended; starting it again."))
            } catch {
                return error
            }
        }
        return nil
    }

    private func startAgain() async throws -> DictationSession {
        state = .starting
        let task = Task { [client, options] in try await client.startAgain(options) }
        restart = task
        return try await task.value
    }

    /// The settings decide what the options leave open.
    private func followSettings(_ session: DictationSession, _ driver: TypingDriver) {
        Task.immediate {
            // Without an answer the options count.
            guard let status = try? await session.status() else { return }
            if let formatting = status.formatting {
                style.isFormatted = formatting == .dictation
                style.fitsCapitals = style.isFormatted
            }
            style.language = status.language ?? style.language
            driver.setStyle(style)
        }
    }

    private func observe(_ event: DictationEvent) {
        if let notice = event.notice { notices.note(notice) }
        switch event {
        case .stateChanged(let change):
            state = change.state
        case .restored:
            // The service does not open the microphone by itself. The user of this program has not paused it.
            if state != .paused, !isEnding, suspension == nil { resume() }
            state = .paused
        case .final(let final) where endsAfterFirst && !final.text.isEmpty:
            stop()
        default:
            break
        }
    }

    private func resume() {
        guard let session else { return }
        Task.immediate {
            do {
                try await session.resume()
            } catch {
                notices.note("\(error)")
            }
        }
    }

    // MARK: Text that is not typed

    private func handle(_ report: TypingDriver.Report) {
        switch report {
        case .outcome(let outcome):
            if let notice = outcome.state.notice, notifiedTexts.insert(outcome.id).inserted {
                let remedy = outcome.state == .kept(.noField) ? choice.keysRemedy.map { " \($0)" } : nil
                notices.note(notice + (remedy ?? ""), text: outcome.text)
            }
            if case .kept(let reason) = outcome.state, reason.isLasting { write(outcome) }
        case .retractionFailed(let problem): notices.note(problem.phrase)
        case .lost(let error):
            notices.note("\(error)")
            stop()
        }
    }

    /// Writes a text that was not typed, once.
    private func write(_ outcome: TypingOutcome) {
        guard printedTexts.insert(outcome.id).inserted else { return }
        do {
            try Output.standardOutput.text(outcome.text)
        } catch {
            outputError = error
            stop()
        }
    }

    // MARK: Control by other programs

    /// A call of another program of the desktop session.
    private func perform(_ request: DictationTypingControlRequest) async throws {
        if waitsForUndo, case .undo = request { return try await undoAfterTheEnd() }
        if !waitsForUndo, case .finish = request { return stop() }
        guard let session, suspension == nil, !isEnding else {
            throw DictationError(.notRunning, message: "The dictation begins or ends just now. Try again.")
        }
        switch request {
        case .finish: break
        case .pause: try await session.pause()
        case .resume: try await session.resume()
        case .commit: _ = try await session.commit()
        case .undo: try await undo(session)
        }
    }

    private func undo(_ session: DictationSession) async throws {
        guard let driver else { return }
        if driver.hasLiveText {
            return driver.discard(try await session.cancel())
        }
        if let problem = await driver.takeBackLast() {
            throw DictationError(.notRunning, message: problem.phrase)
        }
    }

    /// Another program may type meanwhile, which ends the wait.
    private func waitForUndo(_ driver: TypingDriver) async {
        guard let control, driver.hasTypedText else { return }
        waitsForUndo = true
        turn?.end()
        await control.allowReplacement { [weak self] in self?.endUndo() }
        _ = await undoWaiter.wait(within: Self.undoTime) { !waitsForUndo }
        waitsForUndo = false
    }

    private func endUndo() {
        waitsForUndo = false
        undoWaiter.resume()
    }

    private func undoAfterTheEnd() async throws {
        guard let driver else { return }
        do {
            try turn?.begin()
            _ = try await driver.open()
        } catch {
            throw DictationError(.notRunning, message: "\(error)")
        }
        await driver.waitForText(within: .milliseconds(500))
        let problem = await driver.takeBackLast()
        await driver.suspend()
        turn?.end()
        if let problem { throw DictationError(.notRunning, message: problem.phrase) }
    }

    // MARK: The end

    private func receive(_ signal: Int32) {
        if waitsForUndo { return endUndo() }
        if signal == SIGTSTP { return suspend() }
        switch stopRequests.receive(signal, at: .now) {
        case .finish: stop()
        case .giveUp: abort()
        case .ignore: break
        }
    }

    /// Ends the session. Speech so far is still typed.
    private func stop() {
        guard !isEnding else { return }
        isEnding = true
        // What is said until a first start is over is typed too.
        if let session { finish(session) } else { restart?.cancel() }
    }

    private func finish(_ session: DictationSession) {
        // Calls are sent in this order. A session that has ended has nothing to commit.
        Task.immediate { _ = try? await session.commit() }
        Task.immediate { try? await session.stop() }
    }

    /// Ends the program without waiting for the last text. What is known of it is written.
    private func abort() {
        for outcome in driver?.abandon() ?? [] { write(outcome) }
        Task {
            _ = await driver?.close()
            exit(ExitStatus.interrupted.rawValue)
        }
    }

    // MARK: Suspension

    /// A suspended program does not listen and is not the input method: it could not answer.
    private func suspend() {
        guard suspension == nil, !isEnding, let session, let driver else { return }
        let resumes = state != .paused
        suspension = Task {
            await pause(session)
            await driver.suspend()
            turn?.end()
            raise(SIGSTOP)
            await continueTyping(driver)
            suspension = nil
            if resumes, !isEnding { resume() }
        }
    }

    /// A service that does not answer does not delay the suspension.
    private func pause(_ session: DictationSession) async {
        var isPaused = false
        let waiter = ChangeWaiter()
        Task.immediate {
            // A session that has ended does not listen.
            try? await session.pause()
            isPaused = true
            waiter.resume()
        }
        _ = await waiter.wait(within: .milliseconds(500)) { isPaused }
    }

    private func continueTyping(_ driver: TypingDriver) async {
        do {
            try turn?.begin()
            _ = try await driver.open()
        } catch {
            notices.note("\(error)")
            stop()
        }
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

extension RetractionProblem {
    /// For people.
    fileprivate var phrase: String {
        switch self {
        case .notHere:
            "That text is no longer before the cursor, or cannot be deleted here. Delete it by hand."
        case .unseen: "The text field does not show whether that text was deleted. Please check."
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

    /// Whether the text will not be typed later.
    fileprivate var isLasting: Bool { self != .left }
}
