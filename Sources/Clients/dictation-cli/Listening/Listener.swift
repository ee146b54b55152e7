import ArgumentParser
import DictationClient
import EventLoop
import Glibc
import Localization

/// Dictates until the user quits: connects the session's events, the keyboard and signals.
struct Listener {
    private enum Input: Sendable {
        case event(DictationEvent)
        case key(Key)
        case signal(Int32)
        case route(Route?)
        /// A block was cancelled, and its text, if it is known.
        case discarded(block: UInt64, text: String?)
        /// Nobody reads standard output any more.
        case outputClosed
        /// The terminal may be released: the session is paused, or does not answer.
        case readyToSleep
        /// A call was refused; the session goes on.
        case refused(DictationError)
        case started(DictationSession)
        /// The session has no more events.
        case ended(DictationError?)
    }

    private let client: DictationClient
    private var options: StartOptions
    private let view: any ListenView
    private let loop: EventLoop
    private let keyboard: Keyboard?
    private let signals: Signals
    private let endsAfterFirst: Bool
    private let inputs: AsyncStream<Input>
    private let feed: AsyncStream<Input>.Continuation

    private var session: DictationSession?
    private var state = SessionState.starting
    private var isEnding = false
    private var stopRequests = StopRequests()
    /// Text could not be written to standard output. It was written to standard error.
    private var outputError: OutputError?
    private var isFallingAsleep = false
    private var resumesAfterSleep = false

    /// - Parameters:
    ///   - endsAfterFirst: end after the first text.
    ///   - hasMeter: whether a live view has the wide meter.
    init(
        client: DictationClient, options: StartOptions, style: Style, endsAfterFirst: Bool = false,
        hasMeter: Bool = false
    ) throws {
        self.client = client
        self.options = options
        self.endsAfterFirst = endsAfterFirst
        let (inputs, feed) = AsyncStream<Input>.makeStream()
        self.inputs = inputs
        self.feed = feed
        loop = try EventLoop(name: "terminal")
        signals = try Signals([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH], on: loop) {
            feed.yield(.signal($0))
        }
        keyboard = style == .json ? nil : Keyboard(on: loop) { feed.yield(.key($0)) }
        view =
            switch style {
            case .live: LiveView(hasKeys: keyboard != nil, hasMeter: hasMeter)
            case .plain: PlainView()
            case .json: JSONView()
            }
    }

    enum Style {
        case live
        case plain
        case json
    }

    /// Returns when the session has stopped and its last text is shown.
    mutating func run() async throws {
        defer {
            view.close()
            keyboard?.close()
        }
        let reader = Output.standardOutput.watchReader(on: loop) { [feed] in feed.yield(.outputClosed) }
        defer { reader?.cancel() }
        begin(with: try await client.start(options))
        for await input in inputs {
            do {
                guard try await handle(input) else { break }
            } catch OutputError.failed(let code) {
                // The last text is written to standard error.
                outputError = .failed(code)
                finish()
            }
        }
        if let outputError { throw outputError }
    }

    /// Returns whether to continue.
    private mutating func handle(_ input: Input) async throws -> Bool {
        switch input {
        case .event(let event):
            try show(event)
        case .route(let route):
            try view.setMicrophone(route)
        case .discarded(let block, let text):
            try view.discardText(of: block, text)
        case .outputClosed:
            throw OutputError.closed
        case .refused(let error):
            // Calls may fail while the session ends.
            if !isEnding, session != nil { try view.showNotice("\(error)") }
        case .readyToSleep:
            try sleepUntilContinued()
        case .key(let key):
            try press(key)
        case .signal(let number):
            try receive(number)
        case .started(let session):
            begin(with: session)
        case .ended(let error?) where error.code == .serviceVanished && !isEnding:
            try view.show(.serviceVanished)
            try view.keepText()
            if options.endsRecording() {
                try view.showNotice(translated("The file of the recording is complete up to here."))
            }
            startAgain()
        case .ended(let error?):
            try view.keepText()
            throw error
        case .ended(nil):
            return false
        }
        return true
    }

    private mutating func show(_ event: DictationEvent) throws {
        if case .stateChanged(let change) = event { state = change.state }
        try view.show(event)
        if case .stopped(let reason) = event, !isEnding || reason != .stopped {
            try view.end(because: reason)
        }
        if endsAfterFirst, case .final(let final) = event, !final.text.isEmpty { finish() }
        if case .resumed = event { state = .listening }
        if case .interrupted = event { state = .interrupted }
        if case .restored = event { try goOnAfterRestart() }
        if case .stateChanged(let change) = event, change.state == .listening { call(.askForRoute) }
    }

    /// The service does not open the microphone by itself. The user of this program has not paused it.
    private mutating func goOnAfterRestart() throws {
        if options.endsRecording() {
            try view.showNotice(translated("The file of the recording is complete up to here."))
        }
        if state != .paused, !isEnding { call(.resume) }
        state = .paused
    }

    private mutating func press(_ key: Key) throws {
        switch key {
        case .space: call(state == .paused ? .resume : .pause)
        case .enter: call(.commit)
        case .escape: call(.cancel)
        case .undo: try view.restoreDiscardedText()
        case .quit: try stop()
        }
    }

    private mutating func receive(_ signal: Int32) throws {
        switch signal {
        case SIGWINCH:
            try view.redraw()
        case SIGTSTP:
            prepareToSleep()
        default:
            try stop(signal)
        }
    }

    private mutating func stop(_ signal: Int32? = nil) throws {
        switch stopRequests.receive(signal, at: .now) {
        case .finish:
            finish()
        case .giveUp:
            try view.keepText()
            throw ExitStatus.interrupted.code
        case .ignore:
            break
        }
    }

    /// Commits the text and ends the session. Its last text comes before its end.
    private mutating func finish() {
        guard !isEnding else { return }
        isEnding = true
        guard session != nil else { return feed.finish() }
        call(.commit)
        call(.stop)
        // A view that fails here has failed before.
        try? view.setEnding()
    }

    /// A suspended program does not listen. A service that does not answer does not delay the suspension.
    private mutating func prepareToSleep() {
        guard !isFallingAsleep else { return }
        isFallingAsleep = true
        resumesAfterSleep = state != .paused
        call(.pauseToSleep)
        loop.schedule(after: .milliseconds(500)) { [feed] in feed.yield(.readyToSleep) }
    }

    private mutating func sleepUntilContinued() throws {
        guard isFallingAsleep else { return }
        view.close()
        keyboard?.restoreMode()
        raise(SIGSTOP)
        isFallingAsleep = false
        keyboard?.enterRawMode()
        if resumesAfterSleep { call(.resume) }
        try view.redraw()
    }
}

extension Listener {
    private mutating func begin(with session: DictationSession) {
        self.session = session
        state = .starting
        view.setSession(session.id)
        Task { [feed] in
            do throws(DictationError) {
                for try await event in session.events { feed.yield(.event(event)) }
                feed.yield(.ended(nil))
            } catch {
                feed.yield(.ended(error))
            }
        }
    }

    private mutating func startAgain() {
        session = nil
        Task { [client, options, feed] in
            do throws(DictationError) {
                feed.yield(.started(try await client.startAgain(options)))
            } catch {
                feed.yield(.ended(error))
            }
        }
    }

    private enum Call {
        case pause
        case pauseToSleep
        case resume
        case commit
        case cancel
        case stop
        case askForRoute
    }

    /// Makes a call without waiting for its reply. Calls are sent in order.
    private func call(_ call: Call) {
        guard let session else { return }
        Task.immediate { [feed] in
            do throws(DictationError) {
                switch call {
                case .pause: try await session.pause()
                case .pauseToSleep:
                    defer { feed.yield(.readyToSleep) }
                    try await session.pause()
                case .resume: try await session.resume()
                case .commit: _ = try await session.commit()
                case .cancel:
                    // The user may want the text back.
                    let status = try? await session.status()
                    let block = try await session.cancel()
                    let text = status.flatMap { $0.block == block ? $0.text : nil }
                    feed.yield(.discarded(block: block, text: text))
                case .stop: try await session.stop()
                case .askForRoute: feed.yield(.route(try await session.status().route))
                }
            } catch {
                feed.yield(.refused(error))
            }
        }
    }
}
