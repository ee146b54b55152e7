import DictationCore

// What goes in, and what it has to lead to.

extension Checker {
    /// To be called before the machine is given the event.
    mutating func expect(_ event: Event, at now: Duration) {
        self.now = now
        cancelling = nil
        failed = nil
        switch event {
        case .tick: expire()
        case .capture(_, .stalled), .capture(_, .failed): break
        default: attempts = []
        }
        switch event {
        case .call(let id, let client, let request): expect(request, id, from: client)
        case .clientVanished(let client): vanish(client)
        case .readerStopped(let client): stopTelling(client)
        case .audio(let facts):
            noteArrivals(facts)
            audio = facts.isServerAvailable ? facts : .serverLost
            if !facts.isServerAvailable {
                for id in accounts.keys { accounts[id]?.link.loseServer() }
            }
            knownSources.formUnion(facts.sources.keys)
            noteDefault()
        case .seat(let facts): seat = facts
        case .permission(let identity, let permission):
            permissions[identity] = permission
            allowedOnce = allowedOnce.filter { $0.identity != identity }
            for (id, account) in accounts where account.client.identity == identity {
                accounts[id]?.isAllowedOnce = false
            }
        case .allowedOnce(let client, _):
            allowedOnce.insert(client)
            for (id, account) in accounts where account.owner == client.name {
                accounts[id]?.isAllowedOnce = true
            }
        case .capture(let id, let event): expect(event, of: id)
        case .captured(let id, let frames): expectSound(of: id, frames: frames)
        case .recognition(let id, let event): expect(event, of: id)
        case .inputEnded(let id), .inputFailed(let id, _):
            guard let account = accounts[id], !account.usesMicrophone, !account.isEnding else { return }
            accounts[id]?.hasInputEnded = true
            accounts[id]?.isReading = false
        case .congestion(let isCongested): self.isCongested = isCongested
        case .routesRestored(let choices):
            selected = choices.selected
            knownSources.formUnion(choices.chosen.map(\.name))
        case .shutdown:
            shutDownAt = now
            for id in accounts.keys { accounts[id]?.isEnding = true }
        case .tick, .level: break
        }
    }

    /// What comes with the server is no newcomer.
    private mutating func noteArrivals(_ facts: AudioFacts) {
        let there = facts.isServerAvailable ? facts.sources : [:]
        arrivals = arrivals.filter { there[$0.key] != nil }
        guard let audio, audio.isServerAvailable else { return }
        for name in there.keys where audio.sources[name] == nil { arrivals[name] = now }
    }

    private mutating func noteDefault() {
        guard let audio, !audio.sources.isEmpty, audio.defaultSource.map({ audio.sources[$0] == nil }) ?? true
        else { return defaultMissingSince = nil }
        defaultMissingSince = defaultMissingSince ?? now
    }

    private mutating func expire() {
        if let capture, !capture.isFlowing, now - capture.openedAt >= settings.openTimeout {
            fail(capture)
        }
        let graceIsOver = shutDownAt.map { now - $0 >= settings.shutdownGrace } ?? false
        for (id, account) in accounts {
            let isOwed = account.engine == .opening || !account.commits.isEmpty
            if account.engine != .gone, isOwed, !account.waitsForDecoder,
                now - account.lastProgress >= settings.commitTimeout
            {
                accounts[id]?.loseEngine()
            }
            if graceIsOver { accounts[id]?.settleCommits() }
        }
    }

    private mutating func vanish(_ client: ClientName) {
        dead.insert(client)
        allowedOnce = allowedOnce.filter { $0.name != client }
        subscriptions.removeAll { $0.client.name == client }
        calls = calls.filter { $0.value.client.name != client }
        for id in accounts.keys where accounts[id]?.owner == client { accounts[id]?.owner = nil }
    }

    private mutating func stopTelling(_ client: ClientName) {
        subscriptions.removeAll { $0.client.name == client }
        for id in accounts.keys where accounts[id]?.owner == client {
            accounts[id]?.owner = nil
            if accounts[id]?.options.lingers == true {
                pastOwners.remove(client)
            } else {
                // Its commits may be refused.
                let blocks = accounts[id]?.commits.map(\.block) ?? []
                accounts[id]?.settling.formUnion(blocks)
            }
        }
    }

    private mutating func expect(_ event: CaptureEvent, of id: CaptureID) {
        if case .dropped(let frames) = event {
            for (session, account) in accounts where account.counts.has(id) {
                accounts[session]?.counts.lose(frames, of: account.block)
            }
            return
        }
        guard let open = capture, open.id == id else { return }
        switch event {
        case .flowing:
            capture?.isFlowing = true
            accounts[open.session]?.hasStreamTrouble = false
        case .stalled, .failed: fail(open)
        case .linked(let name): accounts[open.session]?.link.change(to: name)
        case .dropped: break
        }
    }

    private mutating func fail(_ capture: OpenCapture) {
        failed = capture
        accounts[capture.session]?.hasStreamTrouble = true
        accounts[capture.session]?.hasEverFailed = true
    }

    private mutating func expectSound(of id: SessionID, frames: Int) {
        guard let account = accounts[id], frames > 0 else { return }
        accounts[id]?.heard.insert(account.block)
        accounts[id]?.counts.captured += frames
        if account.isReading { accounts[id]?.hasRead = true }
    }

    private mutating func expect(_ event: RecognitionEvent, of id: SessionID) {
        guard var account = accounts[id], account.engine != .gone else { return }
        switch event {
        case .ready, .queued, .hypothesis, .segment, .segmentFailed, .blockEnded: account.lastProgress = now
        default: break
        }
        switch event {
        case .speechBegan, .speechEnded, .hypothesis, .segment: account.lastActivity = now
        case .silenceReached(let block)
        where block == account.block && account.options.autoCommit != nil && !account.isEnding
            && isPermitted(account):
            account.silentBlock = block
        case .lag(let seconds): account.counts.lag = seconds
        case .overrun(let block, let frames):
            account.counts.lose(frames, of: account.knows(block) ? block : nil)
        default: break
        }
        switch event {
        case .queued:
            account.waitsForDecoder = true
        case .engineLost(.clientMistake, _):
            account.failForMistake()
        case .ready:
            account.engine = .ready
            account.waitsForDecoder = false
            account.hasEngineTrouble = false
        case .hypothesis(let block, let text) where account.knows(block):
            account.hypotheses[block] = text
        case .segment(let block, let segment) where account.knows(block):
            account.hypotheses[block] = nil
            account.append(segment.text, to: block)
        case .segmentFailed(let block, _) where account.knows(block):
            account.keepHypothesis(of: block)
        case .blockEnded(let block, _):
            guard let position = account.commits.firstIndex(where: { $0.block == block }) else { break }
            for commit in account.commits[...position] { account.settling.insert(commit.block) }
            for commit in account.commits[..<position] { account.keepHypothesis(of: commit.block) }
        case .engineLost:
            account.loseEngine()
        default: break
        }
        accounts[id] = account
    }
}
