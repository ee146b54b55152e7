import DictationCore
import EventLoop
import Logging
import Microphone
import Recognition

/// One user's dictation at work: the machine that decides, and the microphone, recognisers and files that carry out
/// what it decides. Lives on the service's loop; every callback comes there too.
actor UserWorld {
    nonisolated let uid: UInt32
    private let loop: EventLoop
    private let outlet: Outlet
    private let audio: AudioServer
    private let engines: EngineCatalog
    private let logger: Logger

    private var machine: DictationMachine
    private var sounds: [SessionID: SessionSound] = [:]
    private var captures: [CaptureID: Capture] = [:]
    private var pending: [Event] = []
    private var isHandling = false
    private var alarm: (deadline: Duration, timer: EventLoop.Timer)?
    private var toldProperties = WorldProperties.idle
    private var whenEmpty: [CheckedContinuation<Void, Never>] = []
    private let start = ContinuousClock.now

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        uid: UInt32, settings: Settings, engines: EngineCatalog, audio: AudioServer, outlet: Outlet, loop: EventLoop,
        logger: Logger
    ) {
        self.uid = uid
        self.loop = loop
        self.outlet = outlet
        self.audio = audio
        self.engines = engines
        self.logger = logger
        machine = DictationMachine(settings: settings)
    }

    var properties: WorldProperties { machine.properties }

    /// Begins to watch the audio server.
    func begin() {
        audio.start { [weak self] facts in
            self?.assumeIsolated { $0.post(.audio(facts)) }
        }
    }

    /// Takes an event; what it leads to is done when this returns, or, where it comes in the middle of another
    /// event's effects, right behind them.
    func post(_ event: Event) {
        pending.append(event)
        guard !isHandling else { return }
        isHandling = true
        defer { isHandling = false }
        while !pending.isEmpty {
            let event = pending.removeFirst()
            for effect in machine.handle(event, at: now) { perform(effect) }
        }
        setAlarm()
        tellProperties()
        if !machine.hasSessions {
            for continuation in whenEmpty { continuation.resume() }
            whenEmpty = []
        }
    }

    /// Takes a Start whose sound comes from a file or pipe.
    func post(_ event: Event, input: AudioInput, for session: SessionID) {
        sounds[session] = SessionSound(input: input)
        post(event)
        if sounds[session]?.transcriber == nil { sounds[session] = nil }
    }

    /// Ends every session and waits until their commits are answered.
    func shutDown() async {
        post(.shutdown)
        guard machine.hasSessions else { return }
        await withCheckedContinuation { whenEmpty.append($0) }
    }

    /// Lets go of the microphone and of everything else, at once and without telling anybody.
    func abandon() async {
        for sound in sounds.values { sound.close() }
        sounds = [:]
        for capture in captures.values { capture.close() }
        captures = [:]
        alarm?.timer.cancel()
        await audio.stop()
    }

    private var now: Duration { ContinuousClock.now - start }

    private func perform(_ effect: Effect) {
        switch effect {
        case .reply(let call, let reply): outlet.answer(call, with: reply)
        case .refuse(let call, let refusal): outlet.refuse(call, refusal)
        case .signal(let signal, let session, let audience): outlet.send(signal, of: session, to: audience)
        case .openCapture(let id, let session, let target): openCapture(id, for: session, target: target)
        case .closeCapture(let id, _): captures.removeValue(forKey: id)?.close()
        case .runInput(let session, let runs): sounds[session]?.runInput(runs)
        case .openTranscriber(let session, let request, let block): open(request, from: block, for: session)
        case .transcriber(let session, let command): command.apply(to: sounds[session], draining: captures.values)
        case .discard(let session): sounds.removeValue(forKey: session)?.close()
        case .holdSleepInhibitor: break
        }
    }

    private func openCapture(_ id: CaptureID, for session: SessionID, target: NodeName?) {
        captures[id] = audio.open(
            target: target,
            samples: { [weak self] samples in self?.assumeIsolated { $0.take(samples, for: session) } },
            events: { [weak self] event in self?.assumeIsolated { $0.post(.capture(id, event)) } })
    }

    private func take(_ samples: [Int16], for session: SessionID) {
        guard let sound = sounds[session] else { return }
        sound.transcriber?.append(samples)
        sound.measure(samples) { rms, peak in post(.level(session, rms: rms, peak: peak)) }
        post(.captured(session, frames: samples.count))
    }

    private func open(_ request: TranscriptionRequest, from block: BlockNumber, for session: SessionID) {
        let sound = sounds[session] ?? SessionSound()
        sounds[session] = sound
        sound.transcriber?.close()
        sound.transcriber = engines.open(request, from: block) { [weak self, loop] event in
            loop.execute { self?.assumeIsolated { $0.post(.recognition(session, event)) } }
        }
    }

    private func setAlarm() {
        let deadline = machine.nextDeadline
        guard deadline != alarm?.deadline else { return }
        alarm?.timer.cancel()
        alarm = deadline.map { deadline in
            let timer = loop.schedule(after: max(.zero, deadline - now)) { [weak self] in
                self?.assumeIsolated { $0.ring() }
            }
            return (deadline, timer)
        }
    }

    private func ring() {
        alarm = nil
        post(.tick)
    }

    private func tellProperties() {
        let properties = machine.properties
        guard properties != toldProperties else { return }
        outlet.tell(properties, insteadOf: toldProperties, of: uid)
        toldProperties = properties
    }
}
