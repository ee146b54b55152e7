import DictationCore

// Events and their expected effects.

extension Checker {
    /// Call before the machine handles the event.
    mutating func expect(_ event: Event, at moment: Moment) {
        now = moment.awake
        elapsed = moment.elapsed
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
        case .readerStopped(let client): stopSending(client)
        case .audio(let facts):
            microphones.take(facts, at: now)
            let present = Set(audio?.sources.keys ?? [:].keys)
            for id in records.keys {
                if !facts.isServerAvailable { records[id]?.link.loseServer() }
                records[id]?.failedMicrophones.formIntersection(present)
            }
            // The profile of the microphone in use may have changed.
            if let capture, capture.isLinked, let name = records[capture.session]?.link.source?.name,
                let source = audio?.sources[name]
            {
                noteLink(to: source, of: capture.session)
            }
        case .seat(let facts): seat = facts
        case .permission(let identity, let permission):
            permissions[identity] = permission
            // What was decided since, or reset, is not allowed once any more.
            let left = Resource.dictation.filter { permission[$0] == .notDetermined }
            let stays: Set<Resource> = left == Resource.dictation ? [] : Set(left)
            for client in allowedOnce.keys where client.identity == identity {
                allowedOnce[client]?.formIntersection(stays)
            }
            for (id, record) in records where record.client.identity == identity {
                records[id]?.allowedOnce.formIntersection(stays)
            }
        case .allowedOnce(let client, let resources):
            allowedOnce[client, default: []].formUnion(resources)
            for (id, record) in records where record.owner == client.name {
                records[id]?.allowedOnce.formUnion(resources)
            }
        case .capture(let id, let event): expect(event, of: id)
        case .captured(let id, let frames, _): expectSound(of: id, frames: frames)
        case .recognition(let id, let event): expect(event, of: id)
        case .inputEnded(let id), .inputFailed(let id, _):
            guard let record = records[id], !record.usesMicrophone, !record.isEnding else { return }
            records[id]?.hasInputEnded = true
            records[id]?.isReading = false
        case .congestion(let isCongested): self.isCongested = isCongested
        case .settings(let settings): configure(settings)
        case .routesRestored(let choices): microphones.restore(choices)
        case .shutdown:
            shutDownAt = now
            for id in records.keys { expectEnd(of: id) }
        case .tick, .level, .filtered, .recording, .restore, .commitRestored, .settled, .notSettled: break
        }
    }

    /// A session is linked to a microphone. RouteChanged must report it if it is another or has changed.
    private mutating func noteLink(to source: Source, of session: SessionID) {
        guard let record = records[session] else { return }
        let (microphones, now, target) = (microphones, now, capture?.target)
        let isAskedFor = target == source.name && preferences(of: record).contains(source.name)
        records[session]?.link.change(to: source) { previous in
            if !microphones.isThere(previous) { return .deviceRemoved }
            if record.failedMicrophones.contains(previous) { return .deviceFailed }
            if microphones.isNew(source.name, at: now) { return .newDevice }
            return isAskedFor ? .selected : .defaultChanged
        }
    }

    /// The service ends: what somebody reads is committed, and the rest waits for the next service.
    private mutating func expectEnd(of id: SessionID) {
        guard var record = records[id] else { return }
        defer { records[id] = record }
        record.endsAtOnce = true
        guard !record.isEnding else { return }
        record.isEnding = true
        let text = record.text(record.block) + record.volatile(record.block)
        guard isPermitted(record) else { return }
        if record.usesMicrophone, !hasTextAudience(record) {
            record.mustBeLeft =
                !text.isEmpty || record.spoken.contains(record.block)
                || record.commits.contains { $0.call.map { calls[$0] == nil } ?? true }
        } else if !text.isEmpty || record.spoken.contains(record.block) && record.engine != .gone {
            // Without a recogniser speech gets no text any more.
            record.dueCommit = record.block
            record.spoken.insert(record.block)
        }
    }

    private mutating func expire() {
        if let capture, !capture.isFlowing, now - capture.openedAt >= settings.openTimeout {
            fail(capture, withRefusal: false)
        }
        let graceIsOver = shutDownAt.map { now - $0 >= settings.shutdownGrace } ?? false
        for (id, record) in records {
            let isOwed = record.engine == .opening || record.hasUndecodedCommits
            let isLimited = !record.waitsForDecoder || record.hasUndecodedCommits
            let limit = settings.commitTimeout * (record.waitsForDecoder ? 2 : 1)
            if record.engine != .gone, isOwed, isLimited, now - record.lastProgress >= limit {
                records[id]?.loseEngine()
            }
            if graceIsOver, !record.mustBeLeft { records[id]?.settleCommits() }
        }
    }

    private mutating func vanish(_ client: ClientName) {
        dead.insert(client)
        allowedOnce = allowedOnce.filter { $0.key.name != client }
        subscriptions.removeAll { $0.client.name == client }
        calls = calls.filter { $0.value.client.name != client }
        for id in records.keys where records[id]?.owner == client { records[id]?.owner = nil }
    }

    private mutating func stopSending(_ client: ClientName) {
        subscriptions.removeAll { $0.client.name == client }
        for id in records.keys where records[id]?.owner == client {
            records[id]?.owner = nil
            if records[id]?.options.lingers == true {
                pastOwners.remove(client)
            } else {
                // Its commits may be refused.
                let blocks = records[id]?.commits.map(\.block) ?? []
                records[id]?.settling.formUnion(blocks)
            }
        }
    }

    private mutating func expect(_ event: CaptureEvent, of id: CaptureID) {
        if case .dropped(let frames) = event {
            for (session, record) in records where record.counts.has(id) {
                records[session]?.counts.lose(frames, of: record.block)
            }
            return
        }
        guard let open = capture, open.id == id else { return }
        switch event {
        case .flowing:
            capture?.isFlowing = true
            records[open.session]?.hasStreamTrouble = false
        case .failed(.serverLost):
            failed = open
            records[open.session]?.hasStreamTrouble = true
        case .failed(.refused): fail(open, withRefusal: true)
        case .stalled, .failed(.noSource): fail(open, withRefusal: false)
        case .linked(let name):
            capture?.isLinked = true
            noteLink(to: microphones.source(name), of: open.session)
        case .dropped: break
        }
    }

    /// A requested microphone that fails or delivers nothing is replaced by the next one. One that has delivered sound
    /// is retried. If all have failed and there is no default, all are retried.
    private mutating func fail(_ capture: OpenCapture, withRefusal isRefused: Bool) {
        failed = capture
        records[capture.session]?.hasStreamTrouble = true
        guard let target = capture.target, isRefused || !capture.isFlowing else { return }
        records[capture.session]?.failedMicrophones.insert(target)
        let isNoneLeft = records[capture.session].map { wantedMicrophone(of: $0) == nil } ?? false
        if microphones.isDefaultOverdue(at: now), isNoneLeft {
            records[capture.session]?.failedMicrophones = []
        }
    }

    /// A configured microphone that failed is tried again when the configuration names it anew.
    private mutating func configure(_ settings: Settings) {
        if let route = settings.route, route != self.settings.route {
            for id in records.keys { records[id]?.failedMicrophones.remove(route) }
        }
        self.settings = settings
    }

    private mutating func expectSound(of id: SessionID, frames: Int) {
        guard let record = records[id], frames > 0 else { return }
        records[id]?.heard.insert(record.block)
        records[id]?.counts.capture(frames, of: record.block)
        if record.isReading { records[id]?.hasRead = true }
    }

    private mutating func expect(_ event: RecognitionEvent, of id: SessionID) {
        guard var record = records[id], record.engine != .gone else { return }
        switch event {
        case .ready, .queued, .hypothesis, .live, .segment, .segmentFailed, .preview, .passage, .passageLost,
            .blockEnded:
            record.lastProgress = now
        default: break
        }
        switch event {
        case .speechBegan, .speechEnded, .hypothesis, .live, .segment, .preview: record.lastActivity = now
        case .silenceReached(let block)
        where block == record.block && record.options.autoCommit != nil && !record.isEnding
            && isPermitted(record):
            record.dueCommit = block
        case .lag(let seconds): record.counts.lag = seconds
        case .overrun(let block, let frames):
            record.counts.lose(frames, of: record.knows(block) ? block : nil)
        default: break
        }
        switch event {
        case .queued:
            record.waitsForDecoder = true
        case .engineLost(.clientMistake, _):
            record.failForMistake()
        case .ready:
            record.engine = .ready
            record.waitsForDecoder = false
            record.hasEngineTrouble = false
        case .speechBegan(let block, _) where record.knows(block):
            record.spoken.insert(block)
        case .hypothesis(let block, let text) where record.knows(block):
            record.texts[block, default: Text()].hypothesis = text
        case .live(let block, let text) where record.knows(block):
            record.texts[block, default: Text()].hypothesis = text.text
        case .segment(let block, let segment) where record.knows(block):
            record.texts[block, default: Text()].hypothesis = ""
            expectWords(segment.text, in: block, of: &record)
        case .preview(let block, let segment) where record.knows(block):
            record.texts[block, default: Text()].hypothesis = ""
            record.texts[block, default: Text()].previews.append(segment.text)
        case .passage(let block, let passage) where record.knows(block),
            .passageLost(let block, let passage, _) where record.knows(block):
            record.texts[block, default: Text()].finish(passage)
        case .segmentFailed(let block, _) where record.knows(block):
            record.keepVolatileText(of: block)
        case .blockEnded(let block, let duration):
            guard let position = record.commits.firstIndex(where: { $0.block == block && !$0.isSettled })
            else { break }
            record.counts.finish(block, duration: duration)
            let finished = record.commits[...position].filter { !$0.isSettled }
            for commit in finished { record.settling.insert(commit.block) }
            for commit in finished.dropLast() { record.keepVolatileText(of: commit.block) }
        case .engineLost:
            record.loseEngine()
        default: break
        }
        records[id] = record
    }

    /// Words are text, or with written form what the user says about the text.
    private func expectWords(_ words: String, in block: BlockNumber, of record: inout SessionRecord) {
        guard record.isWritten, let spoken = SpokenStep(words) else {
            return record.texts[block, default: Text()].append(words)
        }
        let isCurrent = block == record.block
        switch spoken {
        case .scratch:
            // Retracted tells it before the next Partial; without permission, when that returns.
            if record.texts[block]?.takeBack() == true { return }
            // A finished block that waits for permission gives back some, and its Final has the rest.
            for commit in record.commits.reversed() where commit.isSettled {
                if record.texts[commit.block]?.takeBack() == true { return }
            }
            // The block has no text: one that was finished before gives some back.
            for position in record.finals.indices.reversed()
            where record.finals[position].text.takeBack() {
                record.owedRetractions.insert(record.finals[position].block)
                return
            }
        case .newBlock:
            if isCurrent, isPermitted(record) { record.dueCommit = block }
        case .stop:
            guard isPermitted(record), !record.isEnding else { return }
            if isCurrent { record.dueCommit = block }
            record.isEnding = true
        case .phrase:
            if isPermitted(record), !record.isEnding { record.owedCommand = words }
        }
    }
}
