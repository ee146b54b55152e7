import DictationCore

// What comes out, effect by effect.

extension Checker {
    mutating func note(_ effect: Effect) throws(Violation) {
        switch effect {
        case .reply(let call, let reply): try note(reply, to: call)
        case .refuse(let call, let refusal): try note(refusal, to: call)
        case .storeRoutes(let choices, let call):
            try require(
                choices.selected == selected, .oneAnswerPerCall, "stored \(choices), not \(selected as Any)")
            try note(.done, to: call)
        case .signal(let signal, let session, let audience): try note(signal, of: session, to: audience)
        case .openCapture(let id, let session, let target):
            try noteOpening(of: id, for: session, target)
        case .closeCapture(let id, let session):
            try require(
                capture?.id == id && capture?.session == session, .oneStream, "\(id) is closed and not open")
            capture = nil
        case .runInput(let session, let runs): try noteReading(session, runs)
        case .openTranscriber(let session, _, let block): try noteEngine(of: session, block)
        case .transcriber(let session, let command): try note(command, of: session)
        case .discard(let session): try noteDiscard(session)
        case .holdSleepInhibitor(let holds):
            try require(holds || capture == nil, .inhibitor, "released while a stream is open")
            holdsInhibitor = holds
        }
    }

    private func live(_ id: SessionID) throws(Violation) -> Account {
        guard let account = accounts[id] else {
            throw Violation(.nothingForTheDead, "session \(id.rawValue)")
        }
        return account
    }

    private mutating func noteOpening(
        of id: CaptureID, for session: SessionID, _ target: NodeName?
    ) throws(Violation) {
        let account = try live(session)
        try require(capture == nil, .oneStream, "\(id) is opened beside another")
        try require(holdsInhibitor, .inhibitor, "opened without it")
        try require(
            account.wantsToListen && account.usesMicrophone && ownReasons(account).must.isEmpty
                && audio != nil && seat != nil,
            .captureIffListening, "opened for \(session.rawValue), which may not listen")
        let isRepeated = failed?.session == session && failed?.target == target
        try require(!isRepeated, .noBusyLoop, "what has just failed is opened again at once")
        accounts[session]?.counts.open(id)
        capture = OpenCapture(id: id, session: session, target: target, openedAt: now)
        try noteAttempt()
    }

    private mutating func noteAttempt() throws(Violation) {
        attempts = attempts.filter { now - $0 < .seconds(1) } + [now]
        try require(attempts.count <= 12, .noBusyLoop, "\(attempts.count) attempts within a second")
    }

    private mutating func noteReading(_ session: SessionID, _ runs: Bool) throws(Violation) {
        let account = try live(session)
        try require(
            !runs || (account.wantsToListen && !account.hasInputEnded), .captureIffListening,
            "\(session.rawValue) reads and should not")
        accounts[session]?.isReading = runs
        if !runs { accounts[session]?.hasRead = false }
    }

    private mutating func noteEngine(of session: SessionID, _ block: BlockNumber) throws(Violation) {
        var account = try live(session)
        try require(
            account.engine == .none || account.engine == .gone, .recogniserInStep, "opened beside another")
        try require(block == account.block, .recogniserInStep, "opened for \(block), not \(account.block)")
        if account.engine == .gone { try noteAttempt() }
        account.engine = .opening
        account.engineBlock = block
        account.lastProgress = now
        accounts[session] = account
    }

    private mutating func note(_ command: TranscriberCommand, of session: SessionID) throws(Violation) {
        var account = try live(session)
        try require(
            account.engine == .opening || account.engine == .ready, .recogniserInStep, "\(command) to none")
        switch command {
        case .cut: return
        case .acoustics(let key):
            let isItsOwn =
                if case .microphone(_, account.client.identity) = key { account.usesMicrophone } else {
                    false
                }
            return try require(isItsOwn, .recogniserInStep, "learns about \(key)")
        case .endBlock(let block):
            if block == account.block { try expectAutomaticCommit(of: &account) }
            try require(
                account.commits.contains { $0.block == block }, .recogniserInStep, "\(block) is not committed"
            )
            try require(block == account.engineBlock, .recogniserInStep, "ends \(block)")
        case .discardBlock(let block):
            try require(block == account.engineBlock, .recogniserInStep, "discards \(block)")
            if cancelling != session { account.isEnding = try mayEnd(account) }
        }
        account.engineBlock += 1
        accounts[session] = account
    }

    /// The machine ends a session by itself only where it may.
    func mayEnd(_ account: Account) throws(Violation) -> Bool {
        let isAbandoned = account.options.lingers && now - account.began >= settings.idleStop
        try require(
            account.isEnding || isAbandoned || account.hasInputEnded, .episodeGrammar,
            "\(account.id.rawValue) ends unasked")
        return true
    }

    private mutating func noteDiscard(_ session: SessionID) throws(Violation) {
        let account = try live(session)
        let isOwnerless = account.owner == nil && !account.options.lingers
        if !isOwnerless {
            account.isEnding ? () : (_ = try mayEnd(account))
            let open = account.commits.filter { $0.call.map { calls[$0] != nil } ?? false }
            try require(open.isEmpty, .oneOutcomePerCommit, "\(open) when the session ends")
        }
        try require(capture?.session != session, .captureIffListening, "ended with an open stream")
        accounts[session] = nil
        ended.insert(session)
        ending.updateValue(audience(of: account, text: false), forKey: session)
    }
}
