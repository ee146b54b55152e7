import ClientIdentity
import DBus
import Desktop
import DictationConfiguration
import DictationCore
import DictationInterface
import EventLoop
import Glibc
import Logging
import Microphone
import RecordingFiles

/// The agent's object, which the service calls, and its registration, which is renewed after each start of the service.
@EventLoopActor
final class LentSession {
    static let path: ObjectPath = "/org/example/Dictation/Agent"

    private let connection: Connection
    private let session: Connection?
    private let environment: [String: String]
    private let logger: Logger
    private let resolver: IdentityResolver
    private let prompter: PortalPrompter?
    private let playback: Playback?
    private var screenSavers: ScreenSavers?
    private let screenSaverStates: LatestValueSender<[ScreenSaver: Bool]>
    private let configuration: UserConfiguration
    private let engines: UserEngines
    private let words: LatestValueSender<[TranscriptionRequest.VocabularyEntry]>
    /// The other settings of the configuration.
    private let settings: LatestValueSender<[BusText: Value]>
    private let recordings = UserRecordings()
    private var isRegistered = false {
        didSet {
            screenSaverStates.registrationChanged(isRegistered)
            engines.registrationChanged(isRegistered)
            words.registrationChanged(isRegistered)
            settings.registrationChanged(isRegistered)
        }
    }
    private let indicator: DictationIndicator?
    private let manager: DictationAgentManagerProxy
    private var socketWatch: FileWatch?
    /// Links the streams of lent connections that the session manager leaves unlinked, because the service may not make
    /// links. Connected from the first lent connection until the service ends.
    private let streamLinker: AudioServer
    /// The connection that owns the service's name. Only its calls are accepted.
    private var service: BusName?
    private var questions: [UInt64: Task<Void, Never>] = [:]
    private var following: Task<Void, Never>?
    private var nextRegistration: EventLoop.Timer?
    private var backoff = LentSession.shortestBackoff

    private static let shortestBackoff = Duration.seconds(1)
    private static let longestBackoff = Duration.seconds(60)

    init(
        to connection: Connection, session: Connection?, environment: [String: String], logger: Logger
    ) throws {
        self.connection = connection
        self.session = session
        self.environment = environment
        self.logger = logger
        resolver = try IdentityResolver()
        configuration = UserConfiguration(environment: environment, logger: logger)
        prompter = session.map { PortalPrompter(on: $0, environment: environment) }
        playback = session.map { Playback(on: $0) { logger.notice("\($0)") } }
        indicator = session.map { DictationIndicator(session: $0, service: connection, logger: logger) }
        let manager = DictationAgentManagerProxy(
            connection: connection, destination: DictationInterface.busName)
        self.manager = manager
        engines = UserEngines(for: manager, path: Self.path, logger: logger)
        words = LatestValueSender("the user's words", logger: logger) { words in
            try await manager.setWords(
                path: Self.path, words: words.map { BusText($0.word) },
                sounds: words.map { BusText($0.pronunciation ?? "") })
        }
        settings = LatestValueSender("the user's settings", logger: logger) { settings in
            try await manager.setSettings(path: Self.path, settings: settings)
        }
        screenSaverStates = LatestValueSender("the state of the screen savers", logger: logger) { states in
            let active = states.map { (BusText($0.key.rawValue), $0.value) }
            try await manager.setScreenSavers(
                path: Self.path, active: Dictionary(uniqueKeysWithValues: active))
        }
        streamLinker = AudioServer(
            connect: { try LocalPipeWire.connect(environment: environment) }, publish: { _ in },
            report: { logger.info("streams are not linked at present", metadata: ["why": "\($0)"]) },
            linksLentStreams: true)
    }

    /// Registers as soon as the service runs. Does not start it.
    func begin() async throws {
        playback?.start()
        await indicator?.start()
        screenSavers = session.map { session in
            ScreenSavers(on: session) { [weak self] states in self?.screenSaverStates.update(states) }
        }
        if let screenSavers {
            screenSaverStates.update([:])
            screenSavers.start()
        }
        configuration.start { [weak self] file in self?.send(file) }
        connection.export(
            Self.path, interfaces: [DictationAgentInterface.description], handler: self)
        let owners = try await connection.signals(
            MatchRule(
                sender: .bus, interface: .bus, member: "NameOwnerChanged",
                arguments: [0: DictationInterface.busName.rawValue]))
        following = Task {
            for await change in owners {
                ownerChanged(change.body.last.flatMap { BusText($0) }.flatMap { BusName($0) })
            }
        }
        watchAudioServer()
        ownerChanged(try await connection.owner(of: DictationInterface.busName))
    }

    private func send(_ file: ConfigurationReading) {
        let (values, errors) = file.userSettings
        for error in errors { logger.error("a setting is not sent", metadata: ["why": "\(error)"]) }
        engines.update(file)
        words.update(file.configuration.words)
        // Last, because the service waits for the settings of a new agent.
        settings.update(values)
    }

    func end() async {
        following?.cancel()
        nextRegistration?.cancel()
        socketWatch?.stop()
        configuration.stop()
        isRegistered = false
        for question in questions.values { question.cancel() }
        streamLinker.stop()
        releasePlayers()
        await playback?.stop()
        await screenSavers?.stop()
        await indicator?.stop()
    }

    /// The service's name has another owner, or none.
    private func ownerChanged(_ owner: BusName?) {
        guard owner != service else { return }
        service = owner
        isRegistered = false
        nextRegistration?.cancel()
        backoff = Self.shortestBackoff
        for question in questions.values { question.cancel() }
        questions = [:]
        streamLinker.stop()
        Task {
            releasePlayers()
            if owner != nil { await register() }
        }
    }

    /// Treats dictation as inactive: the players are no longer held, and the indicator disappears.
    private func releasePlayers() {
        playback?.follow(DictationActivity())
        indicator?.follow(DictationIndication())
    }

    private func register() async {
        var capabilities = [
            AgentCapability.microphone, AgentCapability.identify, AgentCapability.engine,
        ]
        if prompter != nil { capabilities.append(AgentCapability.prompt) }
        if playback != nil { capabilities.append(AgentCapability.playback) }
        if screenSavers != nil { capabilities.append(AgentCapability.lock) }
        capabilities += [AgentCapability.words, AgentCapability.settings, AgentCapability.recordings]
        do {
            try await manager.register(path: Self.path, capabilities: capabilities, options: [:])
            logger.info("registered")
            isRegistered = true
        } catch {
            logger.error("the service has refused this agent", metadata: ["why": "\(error)"])
            registerLater()
        }
    }

    private func registerIfServiceRuns() {
        guard service != nil else { return }
        _ = Task.immediate { await register() }
    }

    /// Registers again after a registration has failed or was ended by the service, with exponential backoff.
    private func registerLater() {
        nextRegistration?.cancel()
        nextRegistration = EventLoopActor.schedule(after: backoff) { [weak self] in
            self?.registerIfServiceRuns()
        }
        backoff = min(backoff * 2, Self.longestBackoff)
    }

    /// After a restart of the audio server the agent registers again, so that the service asks for a new connection.
    private func watchAudioServer() {
        do {
            let watch = try FileWatch(LocalPipeWire.socketPath(environment: environment)) { [weak self] in
                self?.streamLinker.connectNow()
                self?.registerIfServiceRuns()
            }
            try watch.start()
            socketWatch = watch
        } catch {
            logger.notice("a restart of PipeWire will not be noticed at once", metadata: ["why": "\(error)"])
        }
    }
}

// MARK: - The object

extension LentSession: ObjectHandler {
    func handle(_ call: MethodCall) {
        do throws(DBusError) {
            guard call.sender == service else {
                throw .accessDenied("Only the dictation service may call this.")
            }
            switch try DictationAgentRequest(call) {
            case .openPipeWireRemote: answer(call) { try await self.openPipeWireRemote() }
            case .openEngine(let name): answer(call) { try await self.openEngine(name) }
            case .checkRecordingFolder(let folder):
                answer(call) { [recordings] in
                    try await recordings.check(folder)
                    return .done
                }
            case .openRecording(let folder, let prefix, let number):
                answer(call) { [recordings] in
                    let (name, file) = try await recordings.open(in: folder, prefix: prefix, number: number)
                    return .openRecording(name: name, file: file)
                }
            case .removeRecording(let folder, let name, let inode, let size, let modified):
                let file = RecordingFile(name: name.string, inode: inode, size: size, modified: modified)
                answer(call) { [recordings] in
                    try await recordings.remove(file, in: folder)
                    return .done
                }
            case .identify(let pid, _): answer(call) { try await self.identify(pid) }
            case .followDictation(let activity):
                playback?.follow(DictationActivity(activity))
                indicator?.follow(DictationIndication(activity))
                call.reply()
            case .requestPermission(let cookie, let client, let resources, let details):
                ask(Prompt(client, resources, details), cookie, call)
            case .cancel(let cookie):
                questions.removeValue(forKey: cookie)?.cancel()
                call.reply()
            case .release:
                call.reply()
                isRegistered = false
                releasePlayers()
                registerLater()
            }
        } catch {
            call.fail(error)
        }
    }

    private func answer(
        _ call: MethodCall,
        _ body: @escaping @EventLoopActor () async throws -> DictationAgentReply
    ) {
        Task {
            do {
                call.reply(try await body().body)
            } catch {
                call.fail(.failed("\(error)"))
            }
        }
    }

    private func openPipeWireRemote() async throws -> DictationAgentReply {
        let socket = try LocalPipeWire.connect(environment: environment)
        let remote = try await LentConnection.restrict(socket)
        if service != nil { streamLinker.start() }
        return .openPipeWireRemote(remote: remote)
    }

    private func openEngine(_ name: BusText) async throws -> DictationAgentReply {
        .openEngine(connection: try await engines.connect(to: name))
    }

    private func identify(_ pid: UInt32) async throws -> DictationAgentReply {
        let finding = await resolver.finding(pid: pid, uid: getuid())
        if let error = finding.error {
            // The service asks again after an error, but not after the answer that the client is unknown.
            if error.isShortage { throw error }
            logger.info("a client could not be identified", metadata: ["pid": "\(pid)", "why": "\(error)"])
        }
        return .identify(client: [
            ClientKey.kind: .string(finding.identity.kind.rawValue),
            ClientKey.id: .string(finding.identity.id.rawValue),
        ])
    }

    private func ask(_ prompt: Prompt, _ cookie: UInt64, _ call: MethodCall) {
        guard let prompter else { return call.fail(.failed("This session has no bus.")) }
        questions[cookie] = Task {
            do {
                let decision = try await prompter.ask(prompt)
                call.reply(DictationAgentReply.requestPermission(decision: decision?.rawValue ?? "").body)
            } catch {
                call.fail(.failed("\(error)"))
            }
            questions[cookie] = nil
        }
    }
}

extension Prompt {
    /// The prompt of a RequestPermission call.
    fileprivate init(_ client: [BusText: Value], _ resources: [BusText], _ details: [BusText: Value]) {
        func text(_ key: BusText, in values: [BusText: Value]) -> String {
            values[key].flatMap { String($0) } ?? ""
        }
        let kind = Identity.Kind(BusText(text(ClientKey.kind, in: client))) ?? .unknown
        self.init(
            client: Identity(uid: getuid(), kind: kind, id: text(ClientKey.id, in: client)),
            resources: resources.compactMap { Resource($0) },
            title: text(PromptKey.title, in: details), subtitle: text(PromptKey.subtitle, in: details),
            body: text(PromptKey.body, in: details))
    }
}

extension DictationIndication {
    /// The state in a FollowDictation call.
    fileprivate init(_ details: [BusText: Value]) {
        let word = details[ActivityKey.state].flatMap { String($0) } ?? ""
        self.init(
            state: SessionState(rawValue: word) ?? .idle,
            isInUse: details[ActivityKey.inUse].flatMap { Bool($0) } ?? false)
    }
}

extension DictationActivity {
    /// The activity in a FollowDictation call.
    fileprivate init(_ details: [BusText: Value]) {
        func holds(_ key: BusText) -> Bool { details[key].flatMap { Bool($0) } ?? false }
        self.init(
            isListening: holds(ActivityKey.listening), wantsToListen: holds(ActivityKey.wanted),
            blocksPlayback: holds(ActivityKey.quiet))
    }
}
