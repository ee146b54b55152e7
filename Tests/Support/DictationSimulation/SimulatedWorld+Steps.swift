import DictationCore

// Converts steps to events, depending on the state of the world.

extension SimulatedWorld {
    mutating func events(for step: Step) -> [Event] {
        switch step {
        case .call(let index, let call): return [self.call(request(call), from: client(index))]
        case .vanish(let index): return [.clientVanished(vanish(index))]
        case .stopReading(let index): return [.readerStopped(client(index).name)]
        case .audio(let step):
            change(step)
            return [.audio(audio)]
        case .lock(let isLocked):
            return [seat { $0.lockedBy = isLocked ? .lockedHint : nil }]
        case .sleep(let isAsleep):
            return [seat { $0.isAsleep = isAsleep }]
        case .seat(let isActive):
            return [seat { $0.isActive = isActive }]
        case .permission(let index, let step):
            guard let permission = step.permission else {
                return [.allowedOnce(client(index), Resource.dictation)]
            }
            if step == .granted { revoked.remove(index) } else { revoked.insert(index) }
            return [.permission(Clients.identities[index], permission)]
        case .capture(let step): return capture.map { events(for: step, of: $0.0) } ?? []
        case .lateCapture(let fails):
            guard !lateCaptures.isEmpty else { return [] }
            return events(for: fails ? .refuse : .flow, of: lateCaptures.removeFirst())
        case .staleCapture(let back, let step):
            let id = CaptureID(rawValue: lastCapture &- UInt64(back) &+ 1)
            return id == capture?.0 ? [] : events(for: step, of: id)
        case .sound(let index, let frames):
            // Sound with every kind of problem, by its length.
            let measure = SoundMeasure(
                range: frames % 3 == 0 ? 0 : 65535, clipped: frames % 5 == 0 ? 160 : 0,
                power: Double(frames % 7),
                isAntiphase: frames % 2 == 0)
            let measures = Array(repeating: measure, count: min(20, frames / 160))
            return session(index).map { [.captured($0, frames: frames, measures)] } ?? []
        case .recogniser(let index, let step):
            guard let id = session(index) else { return [] }
            return recognition(for: step, of: id).map { .recognition(id, $0) }
        case .input(let index, let fails):
            guard let id = session(index) else { return [] }
            return [fails ? .inputFailed(id, Refusal(.unsupportedFormat, "torn")) : .inputEnded(id)]
        case .level(let index):
            return session(index).map { [.level($0, SoundLevel(rms: -30, peak: -20))] } ?? []
        case .congestion(let isCongested):
            self.isCongested = isCongested
            return [.congestion(isCongested)]
        case .restored(let source):
            let chosen = source.map(Sources.source)
            return [.routesRestored(RouteChoices(selected: chosen?.name, chosen: chosen.map { [$0] } ?? []))]
        case .settings(let seed): return [.settings(.simulated(seed))]
        case .shutdown: return [.shutdown]
        case .player, .wait: return []
        }
    }

    private mutating func request(_ step: CallStep) -> Request {
        switch step {
        case .start(let step): .start(nextSession(), step.options)
        case .pause: .pause
        case .resume: .resume
        case .commit: .commit
        case .cancel: .cancel
        case .stop: .stop
        case .stopAll: .stopAll
        case .getSession: .getSession
        case .subscribe(let text): .subscribe(text: text)
        case .listRoutes: .listRoutes
        case .selectRoute(let source): .selectRoute(source.map(Sources.name))
        case .checkPermission: .checkPermission
        }
    }

    private mutating func seat(_ change: (inout SeatFacts) -> Void) -> Event {
        var facts = seat ?? .present
        change(&facts)
        seat = facts
        return .seat(facts)
    }

    private mutating func change(_ step: AudioStep) {
        switch step {
        case .server(false):
            audio = .serverLost
        case .server(true):
            guard !audio.isServerAvailable else { return }
            audio.isServerAvailable = true
            audio.sources[Sources.name(0)] = Sources.source(0)
            audio.defaultSource = Sources.name(0)
        case _ where !audio.isServerAvailable: return
        case .source(let index, present: true):
            let name = Sources.name(index)
            audio.sources[name] = audio.sources[name] ?? Sources.source(index)
            audio.defaultSource = audio.defaultSource ?? name
        case .source(let index, present: false):
            audio.sources[Sources.name(index)] = nil
            if audio.defaultSource == Sources.name(index) { audio.defaultSource = audio.sources.keys.min() }
        case .defaultSource(let index):
            let name = index.map(Sources.name)
            audio.defaultSource = name.flatMap { audio.sources[$0] == nil ? nil : $0 }
        case .muted(let index, let isMuted): audio.sources[Sources.name(index)]?.isMuted = isMuted
        case .headsetProfile(let index, let isHeadset):
            audio.sources[Sources.name(index)]?.bluetoothProfile = isHeadset ? "headset-head-unit" : nil
        case .call(let isCalling):
            audio.otherCaptures.removeAll { $0.role == "Communication" }
            if isCalling { audio.otherCaptures.append(OtherCapture(role: "Communication")) }
        case .recorder(let isRecording):
            audio.otherCaptures.removeAll { $0.role == "Production" }
            if isRecording { audio.otherCaptures.append(OtherCapture(role: "Production")) }
        case .same: return
        }
    }

    private mutating func events(for step: CaptureStep, of id: CaptureID) -> [Event] {
        switch step {
        case .flow:
            let target = capture?.0 == id ? capture?.target : nil
            guard let source = target ?? audio.defaultSource else { return [] }
            if capture?.0 == id { isFlowing = true }
            return [.capture(id, .linked(source)), .capture(id, .flowing)]
        case .link(let index): return [.capture(id, .linked(Sources.name(index)))]
        case .stall: return [.capture(id, .stalled)]
        case .noSource: return [.capture(id, .failed(.noSource))]
        case .serverLost: return [.capture(id, .failed(.serverLost))]
        case .refuse: return [.capture(id, .failed(.refused("busy")))]
        case .drop(let frames): return [.capture(id, .dropped(frames: frames))]
        }
    }

    private mutating func recognition(for step: RecogniserStep, of id: SessionID) -> [RecognitionEvent] {
        switch step {
        case .hostileSegment(let block): [.segment(BlockNumber(block), Segment(text: nextText()))]
        case .hostileEnd(let block): [.blockEnded(BlockNumber(block), duration: 1)]
        // It recognises nothing before it is ready.
        case .hypothesis where recognisers[id]?.isReady == false,
            .segment where recognisers[id]?.isReady == false,
            .blockEnd where recognisers[id]?.isReady == false:
            event(for: .ready, of: id).map { [$0] } ?? []
        case .blockEnd:
            // The rest of the preview's text becomes final first.
            [event(for: .passage(.max), of: id), event(for: step, of: id)].compactMap { $0 }
        default: event(for: step, of: id).map { [$0] } ?? []
        }
    }

    private mutating func event(for step: RecogniserStep, of id: SessionID) -> RecognitionEvent? {
        guard let recogniser = recognisers[id] else { return nil }
        let block = recogniser.at
        switch step {
        case .ready:
            guard !recogniser.isReady else { return nil }
            recognisers[id]?.isReady = true
            return .ready
        case .queued:
            recognisers[id]?.isReady = false
            return .queued
        case .mistake:
            recognisers[id] = nil
            return .engineLost(.clientMistake, message: "there is no such word")
        case .lost:
            recognisers[id] = nil
            return .engineLost(.failed, message: "the engine is gone")
        case _ where !recogniser.isReady: return nil
        case .hypothesis: return .hypothesis(block, nextText())
        case .segment(let kind):
            let segment = Segment(text: kind % 4 == 0 ? "" : nextText())
            return recogniser.hasSecondPass ? .preview(block, segment) : .segment(block, segment)
        case .spoken(let step): return .segment(block, Segment(text: step.rawValue))
        case .preview, .passage, .passageFallback, .passageLost, .finalEngineFailed:
            return recogniser.hasSecondPass ? passageEvent(for: step, in: block) : nil
        case .blockEnd:
            guard !recogniser.owed.isEmpty else { return nil }
            recognisers[id]?.owed.removeFirst()
            return .blockEnded(block, duration: Double(spoken) / 4)
        case .speechBegan: return .speechBegan(block, at: 1)
        case .speechEnded: return .speechEnded(block, at: 2)
        case .silence: return .silenceReached(block)
        case .segmentFailed: return .segmentFailed(block, message: Self.segmentFailure)
        case .lag: return .lag(3)
        case .overrun: return .overrun(block, frames: 160)
        case .hostileSegment, .hostileEnd: return nil
        }
    }

    private mutating func passageEvent(
        for step: RecogniserStep, in block: BlockNumber
    ) -> RecognitionEvent? {
        switch step {
        case .preview: .preview(block, Segment(text: nextText()))
        case .passage(let count):
            .passage(
                block, PassageText(replaces: count, segment: Segment(text: nextText()), engine: "better"))
        case .passageFallback(let count):
            .passage(block, PassageText(replaces: count, segment: nil, engine: "preview"))
        case .passageLost(let count):
            .passageLost(
                block, PassageText(replaces: count, segment: nil, engine: "preview"),
                message: Self.segmentFailure)
        case .finalEngineFailed: .finalEngineFailed(message: Self.engineFailure)
        default: nil
        }
    }

    /// Whether the players are published again.
    mutating func change(_ index: Int, _ step: PlayerStep) -> Bool {
        let name = Players.name(index)
        switch step {
        case .plays:
            if players[name] == nil { players[name] = Player(owner: nextOwner(), status: .playing) }
            players[name]?.status = .playing
        case .pauses: players[name]?.status = .paused
        case .stops: players[name]?.status = .stopped
        case .restarts:
            players[name] = Player(owner: nextOwner(), status: .paused)
            asked[name] = nil
        case .dies:
            players[name] = nil
            asked[name] = nil
        case .obeys:
            guard let status = asked.removeValue(forKey: name) else { return false }
            players[name]?.status = status
        }
        return true
    }
}

extension PermissionStep {
    /// Nil if there is no decision about the application.
    fileprivate var permission: Permission? {
        switch self {
        case .once: nil
        case .granted: .granted
        case .denied: Permission(microphone: .denied, speech: .granted)
        case .forgotten: .notDetermined
        case .speechDenied: Permission(microphone: .granted, speech: .denied)
        case .microphoneGranted: Permission(microphone: .granted, speech: .notDetermined)
        }
    }
}

extension StartStep {
    fileprivate var options: StartOptions {
        var options = StartOptions(transcription: TranscriptionRequest(engine: "fake", language: "en-US"))
        switch self {
        case .plain: break
        case .lingering: options.lingers = true
        case .broadcast: options.broadcasts = true
        case .input: options.hasInput = true
        case .autoCommit: options.autoCommit = .seconds(1)
        case .onRoute: options.route = Sources.name(1)
        case .withLevels: options.sendsLevels = true
        case .withoutPartials: options.sendsPartials = false
        case .mixing: options.pausesPlayback = false
        case .written: options.formatting = SpokenStep.formatting
        case .secondPass: options.transcription.previewEngine = "preview"
        }
        return options
    }
}
