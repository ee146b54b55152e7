import DictationCore

// Checks each effect.

extension Checker {
    mutating func check(_ effect: Effect) throws(Violation) {
        switch effect {
        case .reply(let call, let reply): try check(reply, to: call)
        case .refuse(let call, let refusal): try check(refusal, to: call)
        case .storeRoutes(let choices, let call):
            try require(
                choices.selected == microphones.selected, .oneAnswerPerCall,
                "stored \(choices), not \(microphones.selected as Any)")
            try check(.done, to: call)
        case .signal(let signal, let session, let audience): try check(signal, of: session, to: audience)
        case .openCapture(let id, let session, let target):
            try noteOpening(of: id, for: session, target)
        case .closeCapture(let id, let session):
            try require(
                capture?.id == id && capture?.session == session, .oneStream, "\(id) is closed and not open")
            capture = nil
        case .runInput(let session, let runs): try noteReading(session, runs)
        case .openTranscription(let session, _, let block): try noteEngine(of: session, block)
        case .transcription(let session, let command): try check(command, of: session)
        case .recorder(let session, let command):
            throw Violation(.truthfulState, "\(command) to \(session.rawValue), which records nothing")
        case .filter(let session, _, _, _, _):
            throw Violation(.truthfulState, "\(session.rawValue) has no filter")
        case .keep(let text):
            throw Violation(.truthfulState, "\(text.session.rawValue) may not keep its texts")
        case .discard(let session): try noteDiscard(session)
        case .leave(let session, let blocks): try noteLeaving(session, blocks)
        case .holdSleepInhibitor(let holds):
            try require(holds || capture == nil, .inhibitor, "released while a stream is open")
            holdsInhibitor = holds
        }
    }

    private func live(_ id: SessionID) throws(Violation) -> SessionRecord {
        guard let record = records[id] else {
            throw Violation(.nothingForTheDead, "session \(id.rawValue)")
        }
        return record
    }

    private mutating func noteOpening(
        of id: CaptureID, for session: SessionID, _ target: NodeName?
    ) throws(Violation) {
        let record = try live(session)
        try require(capture == nil, .oneStream, "\(id) is opened beside another")
        try require(holdsInhibitor, .inhibitor, "opened without it")
        try require(
            record.wantsToListen && record.usesMicrophone && ownReasons(record).isEmpty
                && audio != nil && seat != nil,
            .captureIffListening, "opened for \(session.rawValue), which may not listen")
        let wanted = wantedMicrophone(of: record)
        try require(
            target == wanted, .rightMicrophone,
            "\(String(describing: target)) is opened, not \(String(describing: wanted))")
        let isRepeated = failed?.session == session && failed?.target == target
        try require(!isRepeated, .noBusyLoop, "opened again at once after a failure")
        if record.counts.hasOpened { records[session]?.interruption?.rebuilt.insert(.capture) }
        records[session]?.counts.open(id)
        capture = OpenCapture(id: id, session: session, target: target, openedAt: now)
        try noteAttempt()
    }

    private mutating func noteAttempt() throws(Violation) {
        attempts = attempts.filter { now - $0 < .seconds(1) } + [now]
        try require(attempts.count <= 12, .noBusyLoop, "\(attempts.count) attempts within a second")
    }

    private mutating func noteReading(_ session: SessionID, _ runs: Bool) throws(Violation) {
        let record = try live(session)
        try require(
            !runs || (record.wantsToListen && !record.hasInputEnded), .captureIffListening,
            "\(session.rawValue) reads and should not")
        records[session]?.isReading = runs
        if !runs { records[session]?.hasRead = false }
    }

    private mutating func noteEngine(of session: SessionID, _ block: BlockNumber) throws(Violation) {
        var record = try live(session)
        try require(
            record.engine == .none || record.engine == .gone, .recogniserInStep, "opened beside another")
        try require(block == record.block, .recogniserInStep, "opened for \(block), not \(record.block)")
        if record.engine == .gone {
            try noteAttempt()
            record.interruption?.rebuilt.insert(.recogniser)
        }
        record.engine = .opening
        record.engineBlock = block
        record.lastProgress = now
        records[session] = record
    }

    private mutating func check(_ command: TranscriptionCommand, of session: SessionID) throws(Violation) {
        var record = try live(session)
        try require(
            record.engine == .opening || record.engine == .ready, .recogniserInStep, "\(command) to none")
        switch command {
        case .cut: return
        case .acoustics(let key):
            let isItsOwn =
                if case .microphone(_, record.client.identity) = key { record.usesMicrophone } else {
                    false
                }
            return try require(isItsOwn, .recogniserInStep, "learns about \(key)")
        case .endBlock(let block):
            if block == record.block { try expectAutomaticCommit(of: &record) }
            try require(
                record.commits.contains { $0.block == block }, .recogniserInStep, "\(block) is not committed"
            )
            try require(block == record.engineBlock, .recogniserInStep, "ends \(block)")
        case .discardBlock(let block):
            try require(block == record.engineBlock, .recogniserInStep, "discards \(block)")
            if cancelling != session { record.isEnding = try mayEnd(record) }
        }
        record.engineBlock += 1
        records[session] = record
    }

    /// The machine ends a session by itself only for certain reasons.
    func mayEnd(_ record: SessionRecord) throws(Violation) -> Bool {
        let isAbandoned = record.options.lingers && now - record.lastActivity >= settings.idleStop
        try require(
            record.isEnding || isAbandoned || record.hasInputEnded, .commitsInTime,
            "\(record.id.rawValue) ends unasked")
        return true
    }

    private mutating func noteDiscard(_ session: SessionID) throws(Violation) {
        let record = try live(session)
        let isOwnerless = record.owner == nil && !record.options.lingers
        if !isOwnerless {
            record.isEnding ? () : (_ = try mayEnd(record))
            let open = record.commits.filter { $0.call.map { calls[$0] != nil } ?? false }
            try require(open.isEmpty, .oneOutcomePerCommit, "\(open) when the session ends")
        }
        try checkLoss(record)
        try require(capture?.session != session, .captureIffListening, "ended with an open stream")
        try require(
            record.dueCommit.map { record.block > $0 } ?? true, .commitsInTime,
            "\(session.rawValue) ends and \(record.block) is not committed")
        records[session] = nil
        ended.insert(session)
        ending.updateValue(audience(of: record, text: false), forKey: session)
    }

    /// What was committed is sent, or waits for permission, or an Error says that it is lost.
    private func checkLoss(_ record: SessionRecord) throws(Violation) {
        let id = record.id.rawValue
        guard record.owner != nil || record.options.lingers else { return }
        try require(
            !record.mustBeLeft || !isPermitted(record), .oneOutcomePerCommit, "\(id) is not left")
        let lost = record.commits.filter { !$0.wasRefused && !record.text($0.block).isEmpty }
        guard !lost.isEmpty, hasTextAudience(record) else { return }
        try require(!isPermitted(record), .oneOutcomePerCommit, "\(id) ends with \(lost)")
        let isAbandoned = record.options.lingers && now - record.lastActivity >= settings.idleStop
        try require(
            record.endsAtOnce || isAbandoned, .oneOutcomePerCommit,
            "\(id) ends before permission returns, with \(lost)")
        try require(record.lossSent, .oneOutcomePerCommit, "\(id) ends with \(lost) and no Error")
    }

    /// At the end of the service, what nobody reads waits for the next one.
    private mutating func noteLeaving(
        _ session: SessionID, _ blocks: [UncommittedBlock]
    ) throws(Violation) {
        let record = try live(session)
        try require(record.mustBeLeft, .oneOutcomePerCommit, "\(session.rawValue) is left")
        let open = record.commits.filter { $0.call.map { calls[$0] != nil } ?? false }
        try require(open.isEmpty, .oneOutcomePerCommit, "\(open) when the session is left")
        let kept = isPermitted(record) ? record.commits.map(\.block) + [record.block] : []
        try require(
            blocks.map(\.number) == kept, .oneOutcomePerCommit, "\(blocks.map(\.number)) kept, not \(kept)")
        records[session] = nil
        ended.insert(session)
    }
}
