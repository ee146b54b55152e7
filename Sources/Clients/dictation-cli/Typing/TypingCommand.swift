import DictationClient
import EventLoop
import Glibc
import Localization
import TypingRoutes

/// Runs `type`: a session whose text the service types. Ends it with a signal or after the first text, prints what was not typed,
/// and starts again when the service has ended.
@EventLoopActor
final class TypingCommand {
    private let client: DictationClient
    private let options: StartOptions
    private let endsAfterFirst: Bool
    private var session: DictationSession?
    private var state = SessionState.starting
    /// Text that is not final.
    private var spoken = BlockText()
    /// Tries to start a session after the service has ended.
    private var restart: Task<DictationSession, any Error>?
    private var isEnding = false
    private var stopRequests = StopRequests()
    /// Ctrl-Z was pressed.
    private var suspension: Task<Void, Never>?
    /// The sessions whose texts are not typed any more.
    private var endedTypings: Set<UInt64> = []
    private let typingWaiter = ChangeWaiter()
    /// Texts that are not typed, or perhaps not: they are printed in the end.
    private var open: [TextName: TypedText] = [:]
    /// The last message about each text.
    private var messages: [TextName: String] = [:]
    private var printedTexts: Set<TextName> = []
    private var hasUntypedText = false
    /// The session's first error.
    private var failure: DictationError?
    private var outputError: OutputError?
    private var signals: Signals?

    private struct TextName: Hashable {
        var session: UInt64
        var number: UInt64
    }

    /// Longer than the service waits for a window after the end of a session.
    private static let typingTimeout = Duration.seconds(65)
    /// A service that does not answer does not delay the suspension.
    private static let pauseTimeout = Duration.milliseconds(500)

    private init(client: DictationClient, options: StartOptions, endsAfterFirst: Bool) {
        self.client = client
        self.options = options
        self.endsAfterFirst = endsAfterFirst
    }

    /// The options of a session that types.
    nonisolated static func options(
        _ speech: SpeechOptions, _ microphone: MicrophoneOptions, _ typing: TypingOptions
    ) throws -> StartOptions {
        var options = StartOptions()
        try speech.apply(to: &options)
        microphone.apply(to: &options)
        options.autoCommit = options.autoCommit ?? .seconds(1)
        options.typing = typing.typing
        return options
    }

    /// Types until a signal or the end of the session.
    static func run(
        _ client: DictationClient, _ options: StartOptions, endsAfterFirst: Bool
    ) async throws {
        var options = options
        options.survivesRestart = true
        let command = TypingCommand(client: client, options: options, endsAfterFirst: endsAfterFirst)
        try await command.run()
    }

    private func run() async throws {
        let events = try await client.typingEvents()
        let reading = Task {
            for await event in events { handle(event) }
        }
        defer { reading.cancel() }
        signals = try Signals([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP], on: EventLoopActor.loop) {
            number in EventLoopActor.execute { [weak self] in self?.receive(number) }
        }
        let failure = await dictate()
        await suspension?.value
        for (name, text) in open.sorted(by: { $0.key.number < $1.key.number }) { write(text, name) }
        if let failure { throw failure }
        if let outputError { throw outputError }
        if hasUntypedText { throw ExitStatus.unavailable.code }
    }

    // MARK: The session

    /// Returns the error, if there was one.
    private func dictate() async -> (any Error)? {
        var isFirst = true
        while !isEnding {
            do {
                // The first start fails at once, so that the user can do something about it.
                let session = try await isFirst ? client.start(options) : startAgain()
                isFirst = false
                self.session = session
                if isEnding { finish(session) }
                defer { self.session = nil }
                failure = nil
                var hasFailed = false
                for try await event in session.events {
                    observe(event)
                    if case .stopped(.error) = event { hasFailed = true }
                }
                await waitForTyping(of: session.id)
                // It was written when it came.
                return hasFailed ? failure.map { ExitStatus($0.code).code } : nil
            } catch let error as DictationError where error.code == .serviceVanished {
                writeSpokenText()
                guard !isEnding else { return error }
                writeNotice(translated("The dictation service has ended; starting it again."))
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

    private func waitForTyping(of session: UInt64) async {
        _ = await typingWaiter.wait(within: Self.typingTimeout) { endedTypings.contains(session) }
    }

    private func observe(_ event: DictationEvent) {
        if let notice = event.notice, event != .stopped(.error) || failure == nil { writeNotice(notice) }
        switch event {
        case .failed(let error): failure = failure ?? error
        case .stateChanged(let change):
            state = change.state
        case .restored:
            spoken.clear()
            // The service does not open the microphone by itself. The user of this program has not paused it.
            if state != .paused, !isEnding, suspension == nil { resume() }
            state = .paused
        case .partial(let partial): spoken.apply(partial)
        case .retracted(let retraction): spoken.apply(retraction)
        case .final(let final):
            if final.block >= spoken.block { spoken.clear() }
            if endsAfterFirst, !final.text.isEmpty { stop() }
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
                writeNotice("\(error)")
            }
        }
    }

    // MARK: Text that is not typed

    private func writeNotice(_ notice: String) { Output.standardError.writeNotice(notice) }

    private func handle(_ event: TypingEvent) {
        switch event {
        case .began(_, let route, let message):
            writeNotice(translated("Typing by \(route)."))
            if let message { writeNotice(Catalogue.translation(ofMessage: message)) }
        case .typed(let text):
            let name = TextName(session: text.session, number: text.number)
            if let message = text.message, messages.updateValue(message, forKey: name) != message {
                writeNotice(Catalogue.translation(ofMessage: message))
            }
            let isTyped = [.typed, .retracted].contains(text.outcome)
            open[name] = isTyped ? nil : text
            if !isTyped, text.isLast { write(text, name) }
        case .failed(_, let message): writeNotice(Catalogue.translation(ofMessage: message))
        case .ended(let session):
            endedTypings.insert(session)
            typingWaiter.resume()
        }
    }

    /// Writes a text that was not typed, once.
    private func write(_ text: TypedText, _ name: TextName) {
        open[name] = nil
        guard printedTexts.insert(name).inserted else { return }
        if text.outcome != .doubtful { hasUntypedText = true }
        // Nobody gets what was said for a field for a password.
        if !text.text.isEmpty { write(text.text) }
    }

    /// The words that are not final are lost for the service.
    private func writeSpokenText() {
        let text = spoken.text
        spoken.clear()
        guard !text.allSatisfy(\.isWhitespace) else { return }
        hasUntypedText = true
        write(text)
    }

    private func write(_ text: String) {
        do {
            try Output.standardOutput.text(text)
        } catch {
            outputError = error
            stop()
        }
    }

    // MARK: The end

    private func receive(_ signal: Int32) {
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
        for (name, text) in open.sorted(by: { $0.key.number < $1.key.number }) { write(text, name) }
        writeSpokenText()
        exit(ExitStatus.interrupted.rawValue)
    }

    /// A suspended program does not listen. While the session is paused and nothing is to be typed, the user has the own input
    /// method.
    private func suspend() {
        guard suspension == nil, !isEnding, let session else { return }
        let resumes = state != .paused
        suspension = Task {
            await pause(session)
            raise(SIGSTOP)
            suspension = nil
            if resumes, !isEnding { resume() }
        }
    }

    private func pause(_ session: DictationSession) async {
        var isPaused = false
        let waiter = ChangeWaiter()
        Task.immediate {
            // A session that has ended does not listen.
            try? await session.pause()
        }
        Task.immediate {
            _ = try? await session.commit()
            isPaused = true
            waiter.resume()
        }
        _ = await waiter.wait(within: Self.pauseTimeout) { isPaused }
    }
}
