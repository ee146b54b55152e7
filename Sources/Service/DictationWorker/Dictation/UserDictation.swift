import Desktop
import DictationBus
import DictationConfiguration
import DictationCore
import EventLoop
import JournalFiles
import Logging
import Microphone
import Recognition
import RecordingFiles

/// One user's dictation: the machine that decides, and the microphone, recognisers and files that carry out its
/// effects.
@EventLoopActor
final class UserDictation {
    let uid: UInt32
    let desktop: any DesktopSession
    private let indicator: DictationIndicator?
    private let messageSender: MessageSender
    private var engines: EngineCatalog
    /// Returns why it could not be stored; nil if it is on the disk.
    private let storeRoutes: @Sendable (RouteChoices) async -> Refusal?
    /// Calls that wait for the disk.
    private var storing = 0
    /// Called when ``isIdle`` may have changed: before the effects that follow from it, and after them.
    private var needChanged: @EventLoopActor () -> Void = {}
    /// Gets the signals of all sessions.
    private var follow: @EventLoopActor (SessionSignal, SessionID) -> Void = { _, _ in }
    /// Called with each session that has ended.
    private var ended: @EventLoopActor (SessionID) -> Void = { _ in }
    private let textFilter: TextFilter?
    private let logger: Logger

    private(set) var machine: DictationMachine
    private var publishedActivity = DictationActivity()
    private var delaysSleep = true
    private var reportedCongestion = false
    /// The last error of the audio server, until it is available again.
    private var audioTrouble = ""
    private var audio: AudioServer?
    var sounds: [SessionID: SessionSound] = [:]
    private var captures: [CaptureID: Capture] = [:]
    /// Recordings whose file or folder is being checked.
    private var recordings: [SessionID: (request: RecordingRequest, writer: RecordingWriter)] = [:]
    /// Sessions of the worker itself.
    var ownSessions: [SessionID: OwnSession] = [:]
    /// Takes the texts for the user's history, with their sound.
    private let keepText: @EventLoopActor (KeptText, [Int16]) -> Void
    /// Journals of sessions that begin now.
    var journals: [SessionID: SessionJournal] = [:]
    private var pending: [Event] = []
    private var isHandling = false
    /// Whether the streams' buffers were read for the effects of the present event.
    private var hasDrained = false
    private var alarm: (deadline: Duration, timer: EventLoop.Timer)?
    private var publishedProperties = ServiceProperties.idle
    private var shutDownWaiters: [CheckedContinuation<Void, Never>] = []
    private let clock = WorkClock()

    init(
        uid: UInt32, settings: Settings, engines: EngineCatalog,
        desktop: any DesktopSession, indicator: DictationIndicator? = nil,
        routes: RouteChoices, storeRoutes: @escaping @Sendable (RouteChoices) async -> Refusal?,
        textFilter: TextFilter? = nil,
        keepText: @escaping @EventLoopActor (KeptText, [Int16]) -> Void = { _, _ in },
        messageSender: MessageSender, logger: Logger
    ) {
        self.uid = uid
        self.textFilter = textFilter
        self.keepText = keepText
        self.messageSender = messageSender
        self.engines = engines
        self.desktop = desktop
        self.indicator = indicator
        self.logger = logger
        machine = DictationMachine(settings: settings)
        self.storeRoutes = storeRoutes
        pending = [.routesRestored(routes)]
    }

    /// Whether a session types into windows, for the indicator.
    var isTyping = false { didSet { showState() } }

    var settings: Settings { machine.settings }
    var properties: ServiceProperties { machine.properties }

    /// Whether it could end without losing anything.
    var isIdle: Bool { machine.isIdle && sounds.isEmpty && storing == 0 }

    var subscribers: [ClientName] { machine.subscribers }
    /// The applications that have sessions.
    var identities: Set<Identity> { machine.identities }
    /// Every session and its owner, if it has one.
    var owners: [SessionID: ClientName?] { machine.owners.filter { ownSessions[$0.key] == nil } }

    /// A connection's permission.
    func permission(of client: Client) -> Permission { machine.world.permission(of: client) }

    /// A connection does not read and too much is queued for it: it is unsubscribed. It gets the error when it reads
    /// again.
    func readerStopped(_ name: ClientName) {
        let own = machine.session(ownedBy: name)
        let refusal = Refusal(
            .limitExceeded,
            "This connection did not read its signals and gets no more: call Subscribe. GetSession has the last texts."
        )
        post(.readerStopped(name))
        let audience = Audience.clients([name])
        let session = own ?? machine.latestSession ?? SessionID(rawValue: 0)
        messageSender.send(.error(refusal), of: session, to: audience)
        if let own, machine.session(ownedBy: name) == nil, !machine.hasSession(own) {
            messageSender.send(.stopped(.ownerVanished), of: own, to: audience)
        }
    }

    /// Why a client may not start this session; nil if its permission allows it.
    func refusal(ofStart options: StartOptions, by client: Client) -> Refusal? {
        machine.refusal(ofStart: options, by: client)
    }

    /// What an application may do, as far as that is not known: a decision that was not made changes nothing.
    func introduce(_ identity: Identity, _ permission: Permission) {
        guard permission != (machine.world.permissions[identity] ?? .notDetermined) else { return }
        post(.permission(identity, permission))
    }

    func hasSession(_ id: SessionID) -> Bool { sounds[id] != nil }
    func hasStarted(_ client: ClientName) -> Bool { machine.hasStarted(client) }

    /// Starts watching the audio server and the desktop.
    /// - Parameters:
    ///   - needChanged: called when ``isIdle`` may have changed.
    ///   - follow: called with the signals of all sessions.
    ///   - ended: called with each session that has ended.
    func begin(
        _ needChanged: @escaping @EventLoopActor () -> Void = {},
        follow: @escaping @EventLoopActor (SessionSignal, SessionID) -> Void = { _, _ in },
        ended: @escaping @EventLoopActor (SessionID) -> Void = { _ in }
    ) {
        self.needChanged = needChanged
        self.follow = follow
        self.ended = ended
        let audio = AudioServer(
            connect: { [desktop] in try await desktop.openPipeWireRemote() },
            publish: { [weak self] facts in
                if facts.isServerAvailable { self?.audioTrouble = "" }
                self?.post(.audio(facts))
            },
            report: { [weak self] error in self?.log("\(error)") },
            dataThreadStarted: { [desktop] in desktop.prioritize(thread: $0) })
        self.audio = audio
        audio.start()
        desktop.begin { [weak self] event in self?.handle(event) }
    }

    /// Repeated errors are logged once.
    private func log(_ trouble: String) {
        logger.log(level: trouble == audioTrouble ? .debug : .notice, "\(trouble)")
        audioTrouble = trouble
    }

    private func handle(_ event: DesktopEvent) {
        switch event {
        case .seat(let facts): post(.seat(facts))
        case .audioServerAppeared: audio?.connectNow()
        case .trouble(let error): logger.notice("\(error)")
        }
    }

    /// Handles an event. Its effects are carried out when this returns, or, if another event's effects are being
    /// carried out, right after those.
    func post(_ event: Event) {
        if isAct(event) { desktop.userActed() }
        pending.append(event)
        guard !isHandling else { return }
        isHandling = true
        checkCongestion()
        while !pending.isEmpty {
            let event = pending.removeFirst()
            hasDrained = false
            let effects = machine.handle(event, at: clock.now)
            // Before the replies: nobody ends the worker in between.
            if !machine.isIdle { needChanged() }
            // Before the reply: a crash must not give a committed text twice.
            if effects.contains(where: \.isFinal) {
                updateJournals(except: effects.compactMap(\.leftSession))
            }
            for effect in effects where !handleOwn(effect) { perform(effect) }
            updateJournals(after: event)
        }
        isHandling = false
        setAlarm()
        publishProperties()
        publishActivity()
        if !machine.hasSessions {
            for continuation in shutDownWaiters { continuation.resume() }
            shutDownWaiters = []
        }
        needChanged()
    }

    /// Whether a person uses dictation: a program outside a sandbox that may dictate starts or resumes it.
    private func isAct(_ event: Event) -> Bool {
        guard case .call(_, let client, let request) = event, client.identity.isKnown,
            !client.identity.isSandboxed, permission(of: client).isReady
        else { return false }
        return switch request {
        case .start(_, let options): !options.hasInput
        case .resume: true
        default: false
        }
    }

    /// Ends every session and waits until its commits are answered.
    func shutDown() async {
        endOwnSessions()
        post(.shutdown)
        if machine.hasSessions { await withCheckedContinuation { shutDownWaiters.append($0) } }
        await releaseMicrophone()
    }

    /// Ends everything at once, without signals, and deletes what is not committed.
    func abandon() async {
        for sound in sounds.values { sound.close() }
        sounds = [:]
        alarm?.timer.cancel()
        await releaseMicrophone()
    }

    /// Ends everything at once, without signals. The journals stay as they are, as after a crash.
    func leave() async {
        for sound in sounds.values { sound.leave() }
        alarm?.timer.cancel()
        await releaseMicrophone()
    }

    private func releaseMicrophone() async {
        captures = [:]
        audio?.stop()
        await desktop.end()
    }

    // MARK: Effects

    private func perform(_ effect: Effect) {
        switch effect {
        case .reply(let call, let reply): messageSender.answer(call, with: reply)
        case .refuse(let call, let refusal): messageSender.refuse(call, refusal)
        case .signal(let signal, let session, let audience):
            messageSender.send(signal, of: session, to: audience)
            follow(signal, session)
        case .openCapture(let id, let session, let target): openCapture(id, for: session, target: target)
        case .closeCapture(let id, let session):
            closeCapture(id)
            sounds[session]?.endCapture()
        case .runInput(let session, let runs): sounds[session]?.runInput(runs)
        case .openTranscription(let session, let request, let block): open(request, from: block, for: session)
        case .transcription(let session, let command): send(command, to: session)
        case .recorder(let session, let command): send(command, to: session)
        case .discard(let session):
            sounds.removeValue(forKey: session)?.close()
            ended(session)
        case .leave(let session, let blocks):
            sounds[session]?.journal?.leave(blocks)
            sounds.removeValue(forKey: session)?.close()
            ended(session)
        case .holdSleepInhibitor(let holds): delaySleep(holds)
        case .storeRoutes(let choices, let call): store(choices, for: call)
        case .keep(let text): keepText(text, sounds[text.session]?.takeSound(of: text.block) ?? [])
        case .filter(let session, let block, let text, let command, let language):
            filter(text, of: session, block, by: command, language)
        }
    }

    private func filter(
        _ text: String, of session: SessionID, _ block: BlockNumber, by command: String, _ language: String
    ) {
        Task {
            let filtered = await textFilter?.filter(text, by: command, language: language)
            post(.filtered(session, block, filtered ?? .failed("this service belongs to another user")))
        }
    }

    private func store(_ choices: RouteChoices, for call: CallID) {
        storing += 1
        Task { finishStoring(call, await storeRoutes(choices)) }
    }

    private func finishStoring(_ call: CallID, _ refusal: Refusal?) {
        storing -= 1
        if let refusal {
            messageSender.refuse(call, refusal)
        } else {
            messageSender.answer(call, with: .done)
        }
        needChanged()
    }

    private func openCapture(_ id: CaptureID, for session: SessionID, target: NodeName?) {
        let sound = sounds[session]
        sound?.beginCapture()
        var request = CaptureRequest(target: target, rate: sound?.captureRate ?? RecordingQuality.low.rate)
        // Levels are measured twenty times a second, also in silence.
        if machine.sendsLevels(of: session) { request.quietFrames = 0 }
        request.hasOneChannel = machine.capturesOneChannel(of: session)
        captures[id] = audio?.open(
            request, samples: { [weak self] samples in self?.append(samples, for: session) },
            events: { [weak self] event in self?.post(.capture(id, event)) })
    }

    private func closeCapture(_ id: CaptureID) {
        guard let capture = captures.removeValue(forKey: id) else { return }
        audio?.close(capture, .deliver)
    }

    private func append(_ captured: [Int16], for session: SessionID) {
        guard let sound = sounds[session] else { return }
        let samples = sound.record(captured)
        if let block = sound.waiting?.block {
            let lost = sound.waiting?.append(samples) ?? 0
            if lost > 0 { post(.recognition(session, .overrun(block, frames: lost))) }
        } else {
            sound.pass(samples)
        }
        if machine.sendsLevels(of: session) {
            let hasWaveform = machine.sendsWaveform(of: session)
            for level in sound.measure(samples, hasWaveform: hasWaveform) { post(.level(session, level)) }
        }
        post(.captured(session, frames: samples.count, sound.judge(samples)))
    }

    private func open(_ request: TranscriptionRequest, from block: BlockNumber, for session: SessionID) {
        let sound = sounds[session] ?? SessionSound()
        sounds[session] = sound
        if let journal = journals.removeValue(forKey: session) { sound.journal = journal }
        sound.recorder?.begin()
        sound.journal?.recogniserOpened()
        sound.recognise(
            by: { (events) throws(RecognitionError) in
                try engines.open(request, from: block, events: events)
            },
            events: { [weak self] event in
                self?.sounds[session]?.follow(event)
                self?.post(.recognition(session, event))
            })
        if machine.keepsSound(of: session), sound.blockSounds == nil { sound.blockSounds = BlockSounds() }
        sound.passWaiting()
    }

    /// The request with its engine, if a session with it can begin now. Loads nothing.
    func choose(
        _ request: TranscriptionRequest, from names: [String], previewsFrom previews: [String]
    ) throws(RecognitionError) -> TranscriptionRequest {
        try engines.choose(request, from: names, previewsFrom: previews)
    }

    /// Further sessions use these. A session keeps the engine that it began with.
    func use(_ engines: EngineCatalog) { self.engines = engines }

    private func send(_ command: TranscriptionCommand, to session: SessionID) {
        drain()
        guard let sound = sounds[session] else { return }
        if sound.waiting == nil { sound.pass(command) } else { sound.waiting?.append(command) }
    }

    private func send(_ command: RecorderCommand, to session: SessionID) {
        // At the beginning of sound nothing is buffered that came before.
        if case .gap = command {} else { drain() }
        sounds[session]?.perform(command)
    }

    /// Passes on samples that a stream has buffered: they came before the commands that follow from the present event. Once
    /// for all of these, so that recogniser and recorder cut at the same sample.
    private func drain() {
        guard !hasDrained else { return }
        hasDrained = true
        for capture in captures.values { audio?.drain(capture) }
    }

    /// Sleep is released only when the nodes of the closed streams are gone.
    private func delaySleep(_ delays: Bool) {
        delaysSleep = delays
        if delays { return desktop.delaySleep(true) }
        Task {
            await audio?.settled()
            if !delaysSleep { desktop.delaySleep(false) }
        }
    }

    // MARK: Recordings

    /// Keeps the file or folder for a session that begins after the check.
    /// - Parameters:
    ///   - takesFolder: whether it may be a folder.
    ///   - lease: ends when nothing more is written.
    ///   - examined: called once, with nil or with why it is refused; not called after ``dropUnusedInput(of:)``.
    func examineRecording(
        _ request: RecordingRequest, into target: Descriptor, takesFolder: Bool,
        for session: SessionID, lease: Budgets.Lease,
        _ examined: @escaping @EventLoopActor (RecordingError?) -> Void
    ) throws(RecordingError) {
        let sound = SessionSound()
        let writer = try RecordingWriter(
            target, takesFolder: takesFolder, rate: request.rate
        ) {
            [weak self, lease] event in
            EventLoopActor.execute { [weak self] in
                _ = lease
                self?.handle(event, of: session, examined)
            }
        }
        recordings[session] = (request, writer)
        sounds[session] = sound
    }

    private func handle(
        _ event: RecordingWriter.Event, of session: SessionID,
        _ examined: @EventLoopActor (RecordingError?) -> Void
    ) {
        guard let sound = sounds[session] else { return }
        switch event {
        case .accepted(let place):
            guard let (request, writer) = recordings.removeValue(forKey: session) else { return }
            sound.recorder = SessionRecorder(request, in: place, writer: writer) { [weak self] event in
                self?.post(.recording(session, event))
            }
            examined(nil)
        case .refused(let error):
            recordings[session] = nil
            examined(error)
        case .closed, .failed, .notRemoved, .finished: sound.recorder?.handle(event)
        }
    }

    /// The session did not begin.
    func dropUnusedInput(of session: SessionID) {
        journals.removeValue(forKey: session)?.close()
        guard let sound = sounds[session], !sound.hasBegun, !machine.hasSession(session) else { return }
        recordings.removeValue(forKey: session)?.writer.perform(.finish)
        sound.close()
        sounds[session] = nil
    }

    // MARK: Playback

    private func publishActivity() {
        let activity = machine.activity
        guard activity != publishedActivity else { return }
        publishedActivity = activity
        desktop.follow(activity)
    }

    // MARK: Time and properties

    /// Sound causes fifty events a second, so that its end is noticed soon.
    private func checkCongestion() {
        let isCongested = messageSender.isCongested
        guard isCongested != reportedCongestion else { return }
        reportedCongestion = isCongested
        pending.insert(.congestion(isCongested), at: 0)
    }

    private func setAlarm() {
        let deadline = machine.nextDeadline
        guard deadline != alarm?.deadline else { return }
        alarm?.timer.cancel()
        alarm = deadline.map { deadline in
            let timer = EventLoopActor.schedule(after: max(.zero, deadline - clock.now.awake)) {
                [weak self] in self?.deadlineReached()
            }
            return (deadline, timer)
        }
    }

    private func deadlineReached() {
        alarm = nil
        post(.tick)
    }

    private func publishProperties() {
        let properties = machine.properties
        guard properties != publishedProperties else { return }
        messageSender.send(properties, insteadOf: publishedProperties, to: machine.subscribers)
        publishedProperties = properties
        showState()
    }

    private func showState() {
        var indication = DictationIndication(
            state: publishedProperties.state, isInUse: publishedProperties.isInUse)
        indication.isTyping = isTyping
        indicator?.follow(indication)
    }
}
