import DictationCore

// What a call has to be answered with, and what it changes.

extension Checker {
    mutating func expect(_ request: Request, _ id: CallID, from client: Client) {
        let expected: Expectation
        switch request {
        case .start(let session, let options): expected = expectStart(session, options, by: client)
        case .subscribe(let text):
            if text, let kind = refusal(of: client, .ofText) {
                expected = .refused(kind)
            } else {
                subscriptions.removeAll { $0.client == client }
                subscriptions.append(Subscription(client: client, text: text))
                expected = .done
            }
        case .getSession:
            let account = account(of: client)
            if let account { accounts[account.id]?.lastActivity = now }
            expected = .report(account?.id, hasText: account.map { mayRead($0, client) } ?? false)
        case .checkPermission, .listRoutes: expected = .information
        case .selectRoute(let name):
            if let kind = refusal(of: client, .ofEverything) {
                expected = .refused(kind)
            } else if let name, !knownSources.contains(name) {
                expected = .refused(.noSource)
            } else {
                selected = name
                expected = .done
            }
        case .stopAll:
            let running = accounts.keys.filter { accounts[$0]?.isEnding == false }
            for id in running { accounts[id]?.isEnding = true }
            expected = .stopping(running.count)
        case .pause, .resume, .commit, .cancel, .stop:
            expected = expectAct(request, id, by: client)
        }
        calls[id] = OpenCall(client: client, request: request, expected: expected)
    }

    private mutating func expectStart(_ id: SessionID, _ options: StartOptions, by client: Client)
        -> Expectation
    {
        let isAllowedOnce = allowedOnce.contains(client)
        if let kind = refusal(of: client.identity, options, isAllowedOnce: isAllowedOnce) {
            return .refused(kind)
        }
        if options.lingers, client.identity.kind == .unknown { return .refused(.accessDenied) }
        if accounts.values.contains(where: { $0.owner == client.name && !$0.isEnding }) {
            return .refused(.alreadyRunning)
        }
        if options.lingers, lingering(Group(client)) != nil { return .refused(.alreadyRunning) }
        if shutDownAt != nil { return .refused(.cancelled) }
        if accounts.count >= settings.sessionLimit { return .refused(.limitExceeded) }
        stamps += 1
        accounts[id] = Account(id, by: client, options, stamp: stamps, at: now)
        accounts[id]?.isAllowedOnce = isAllowedOnce
        pastOwners.insert(client.name)
        return .started(id)
    }

    private mutating func expectAct(_ request: Request, _ call: CallID, by client: Client) -> Expectation {
        guard var account = account(of: client) else {
            if request == .stop, let ending = endingAccount(of: client) { return .stop(ending.id) }
            return .refused(.notRunning)
        }
        account.lastActivity = now
        defer { accounts[account.id] = account }
        switch request {
        case .pause:
            account.wants = false
            account.hasStreamTrouble = false
            return .done
        case .resume:
            if let kind = refusal(of: client, on: account) { return .refused(kind) }
            stamps += 1
            account.wants = true
            account.stamp = stamps
            return .done
        case .cancel:
            let block = account.block
            cancelling = account.id
            account.forget(block)
            account.beginNextBlock()
            return .cancelled(block)
        case .stop:
            account.isEnding = true
            return .stop(account.id)
        default:
            if let kind = refusal(of: client, on: account) ?? refusal(of: account) { return .refused(kind) }
            return expectCommit(of: &account, call)
        }
    }

    private func expectCommit(of account: inout Account, _ call: CallID?) -> Expectation {
        let block = account.block
        if account.commits.isEmpty { account.lastProgress = now }
        account.commits.append(Account.Commit(block: block, call: call))
        if account.engine == .gone { account.settling.insert(block) }
        account.beginNextBlock()
        return .commit(account.id, block)
    }

    /// The machine committed what nobody asked it to: silence, the end of the input, a session left alone.
    func expectAutomaticCommit(of account: inout Account) throws(Violation) {
        let options = account.options
        let mayBe = options.autoCommit != nil || options.lingers || account.hasInputEnded
        try require(
            mayBe && isPermitted(account), .oneOutcomePerCommit, "nobody committed \(account.block)")
        _ = expectCommit(of: &account, nil)
    }

    private enum Need { case ofText, ofEverything }

    /// What a caller lacks for what concerns no session.
    private func refusal(of client: Client, _ need: Need) -> Refusal.Kind? {
        var options = StartOptions(transcription: TranscriptionRequest(engine: "", language: ""))
        options.hasInput = need == .ofText
        return refusal(of: client.identity, options, isAllowedOnce: allowedOnce.contains(client))
    }

    private func endingAccount(of client: Client) -> Account? {
        let ending = accounts.values.filter(\.isEnding).sorted { $0.id > $1.id }
        if let own = ending.first(where: { $0.owner == client.name }) { return own }
        if pastOwners.contains(client.name) { return nil }
        return ending.first { $0.options.lingers && Group($0.client) == Group(client) }
    }
}
