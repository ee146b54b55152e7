import DictationCore

// The expected reply of a call, and its expected effects.

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
            let record = record(of: client)
            // Looking at a session does not keep it listening.
            expected = .report(record?.id, hasText: record.map { mayRead($0, client) } ?? false)
        case .checkPermission, .listRoutes: expected = .information
        case .selectRoute(let name):
            if let kind = refusal(of: client, .ofEverything) {
                expected = .refused(kind)
            } else if let name, microphones.known[name] == nil {
                expected = .refused(.noSource)
            } else {
                microphones.selected = name
                if let name {
                    for id in records.keys { records[id]?.failedMicrophones.remove(name) }
                }
                expected = .done
            }
        case .stopAll:
            let running = records.keys.filter { records[$0]?.isEnding == false }
            for id in running { records[id]?.isEnding = true }
            for id in records.keys { records[id]?.endsAtOnce = true }
            expected = .stopping(running.count)
        case .keepTexts, .secretField: expected = record(of: client) == nil ? .refused(.notRunning) : .done
        case .pause, .resume, .commit, .cancel, .stop:
            expected = expectAct(request, id, by: client)
        }
        calls[id] = OpenCall(client: client, request: request, expected: expected)
    }

    private mutating func expectStart(_ id: SessionID, _ options: StartOptions, by client: Client)
        -> Expectation
    {
        let allowed = allowedOnce[client] ?? []
        if let kind = refusal(of: client.identity, options, allowedOnce: allowed) {
            return .refused(kind)
        }
        if options.lingers, client.identity.kind == .unknown { return .refused(.accessDenied) }
        if records.values.contains(where: { $0.owner == client.name && !$0.isEnding }) {
            return .refused(.alreadyRunning)
        }
        if options.lingers, lingering(Group(client)) != nil { return .refused(.alreadyRunning) }
        if shutDownAt != nil { return .refused(.cancelled) }
        if records.count >= settings.sessionLimit { return .refused(.limitExceeded) }
        stamps += 1
        records[id] = SessionRecord(id, by: client, options, stamp: stamps, at: now)
        records[id]?.allowedOnce = allowed
        pastOwners.insert(client.name)
        return .started(id)
    }

    private mutating func expectAct(_ request: Request, _ call: CallID, by client: Client) -> Expectation {
        guard var record = record(of: client) else {
            if request == .stop, let ending = endingRecord(of: client) {
                records[ending.id]?.endsAtOnce = true
                return .stop(ending.id)
            }
            return .refused(.notRunning)
        }
        record.lastActivity = now
        defer { records[record.id] = record }
        switch request {
        case .pause:
            record.wants = false
            record.hasStreamTrouble = false
            return .done
        case .resume:
            if let kind = refusal(of: client, on: record) { return .refused(kind) }
            stamps += 1
            record.wants = true
            record.stamp = stamps
            record.failedMicrophones = []
            return .done
        case .cancel:
            let block = record.block
            cancelling = record.id
            record.forget(block)
            record.beginNextBlock()
            return .cancelled(block)
        case .stop:
            record.isEnding = true
            record.endsAtOnce = true
            return .stop(record.id)
        default:
            if let kind = refusal(of: client, on: record) ?? refusal(of: record) { return .refused(kind) }
            return expectCommit(of: &record, call)
        }
    }

    private func expectCommit(of record: inout SessionRecord, _ call: CallID?) -> Expectation {
        let block = record.block
        if !record.hasUndecodedCommits { record.lastProgress = now }
        record.commits.append(SessionRecord.Commit(block: block, call: call, isAutomatic: call == nil))
        if record.engine == .gone { record.settling.insert(block) }
        record.beginNextBlock()
        return .commit(record.id, block)
    }

    /// The machine committed by itself: after silence, at the end of the input, or when a session was unused.
    func expectAutomaticCommit(of record: inout SessionRecord) throws(Violation) {
        let isLeftAlone = record.options.lingers && now - record.lastActivity >= settings.idlePause
        let isDue =
            record.dueCommit == record.block || record.hasInputEnded
            || (isLeftAlone && !record.text(record.block).isEmpty)
            || (isLeftAlone && !record.volatile(record.block).isEmpty)
            || (shutDownAt == now && record.spoken.contains(record.block))
        try require(isDue && isPermitted(record), .commitsInTime, "nobody committed \(record.block)")
        _ = expectCommit(of: &record, nil)
    }

    private enum Need { case ofText, ofEverything }

    /// The missing permission of a caller, for calls that do not concern a session.
    private func refusal(of client: Client, _ need: Need) -> Refusal.Kind? {
        var options = StartOptions(transcription: TranscriptionRequest(engine: "", language: ""))
        options.hasInput = need == .ofText
        return refusal(of: client.identity, options, allowedOnce: allowedOnce[client] ?? [])
    }

    private func endingRecord(of client: Client) -> SessionRecord? {
        let ending = records.values.filter(\.isEnding).sorted { $0.id > $1.id }
        if let own = ending.first(where: { $0.owner == client.name }) { return own }
        if pastOwners.contains(client.name) { return nil }
        return ending.first { $0.options.lingers && Group($0.client) == Group(client) }
    }
}
