import DictationCore

// Answers to calls, and the outcomes of commits.

extension Checker {
    private mutating func take(_ id: CallID) throws(Violation) -> OpenCall {
        guard let call = calls.removeValue(forKey: id) else {
            throw Violation(
                .oneAnswerPerCall, "call \(id.rawValue) is answered again, or after its caller went")
        }
        return call
    }

    mutating func note(_ refusal: Refusal, to id: CallID) throws(Violation) {
        let call = try take(id)
        switch call.expected {
        case .refused(let kind):
            try require(kind == refusal.kind, .oneAnswerPerCall, "\(refusal.kind), not \(kind)")
        case .commit(let session, let block):
            guard var account = accounts[session] else { return }
            if isPermitted(account), !mayRead(account, call.client) {
                // The commit goes on, for the owner and subscribers.
                for index in account.commits.indices where account.commits[index].call == id {
                    accounts[session]?.commits[index].call = nil
                }
                return
            }
            let mayFail = account.settling.contains(block) || !isPermitted(account)
            try require(mayFail, .oneOutcomePerCommit, "commit of \(block) refused: \(refusal)")
            try takeCommit(block, of: &account)
            accounts[session] = account
        default:
            throw Violation(.oneAnswerPerCall, "\(call.request) refused: \(refusal)")
        }
    }

    mutating func note(_ reply: Reply, to id: CallID) throws(Violation) {
        let call = try take(id)
        switch (call.expected, reply) {
        case (.started(let session), .started(let started)) where session == started:
            accounts[session]?.isAnnounced = true
        case (.done, .done), (.information, .permission), (.information, .routes):
            break
        case (.stopping(let count), .stopping(let stopped)) where count == stopped:
            break
        case (.cancelled(let block), .cancelled(let cancelled)) where block == cancelled:
            break
        case (.report(let session, let hasText), .session(let report)):
            try check(report, session, hasText: hasText)
        case (.stop(let session), .done):
            try require(accounts[session] == nil, .oneAnswerPerCall, "Stop is answered before it is over")
        case (.commit(let session, let block), .committed(let finished)):
            try require(finished.number == block, .oneOutcomePerCommit, "\(finished.number), not \(block)")
            guard var account = accounts[session] else { return }
            if account.lastFinal != block {
                try require(!hasTextAudience(account), .oneOutcomePerCommit, "reply to \(block) before Final")
                try noteFinished(finished, of: &account)
                accounts[session] = account
            }
        default:
            throw Violation(.oneAnswerPerCall, "\(call.request) is answered \(reply)")
        }
    }

    mutating func noteFinished(_ finished: FinishedBlock, of account: inout Account) throws(Violation) {
        let block = finished.number
        if block == account.block, account.engine == .gone { try expectAutomaticCommit(of: &account) }
        try takeCommit(block, of: &account)
        try require(
            account.settling.contains(block), .oneOutcomePerCommit, "\(block) is finished before it can be")
        try require(
            finished.text == account.text(block), .textGrows,
            "Final \(finished.text), heard \(account.text(block))")
        try require(
            account.counts.agree(with: finished), .truthfulNumbers, "\(finished), counted \(account.counts)")
        account.lastFinal = block
        account.forget(block)
    }

    /// Takes the commit of this block from the head of those in progress. One that nobody waits for and that has no
    /// text may have been let go without a word.
    private func takeCommit(_ block: BlockNumber, of account: inout Account) throws(Violation) {
        while let first = account.commits.first, first.block != block, isSilent(first, account) {
            account.commits.removeFirst()
        }
        let promise: Violation.Promise =
            account.commits.contains { $0.block == block } ? .oneOutcomePerCommit : .noFinalForCancelled
        try require(account.commits.first?.block == block, promise, "\(block) is finished out of turn")
        account.commits.removeFirst()
    }

    private func isSilent(_ commit: Account.Commit, _ account: Account) -> Bool {
        commit.call.flatMap { calls[$0] } == nil
            && (account.text(commit.block).isEmpty || !hasTextAudience(account) || !isPermitted(account))
    }

    /// What had to be finished in this event is finished.
    mutating func checkSettled() throws(Violation) {
        for (id, account) in accounts {
            var account = account
            let isOver = !isPermitted(account)
            for commit in account.commits where isOver || account.settling.contains(commit.block) {
                try require(isSilent(commit, account), .oneOutcomePerCommit, "\(commit) has no outcome")
            }
            account.commits.removeAll { isOver || account.settling.contains($0.block) }
            account.settling = []
            accounts[id] = account
        }
        for (id, call) in calls {
            switch call.expected {
            case .commit(let session, _):
                try require(
                    accounts[session].map { mayRead($0, call.client) } ?? false, .oneAnswerPerCall,
                    "\(id) \(call.request) waits for what it may not have")
            case .stop(let session):
                try require(
                    accounts[session] != nil, .oneAnswerPerCall, "\(id) \(call.request) outlives its session")
            default:
                throw Violation(.oneAnswerPerCall, "\(call.request) is not answered")
            }
        }
    }

    private func check(
        _ report: SessionReport, _ session: SessionID?, hasText: Bool
    ) throws(Violation) {
        try require(
            report.session == session, .oneAnswerPerCall, "report of \(String(describing: report.session))")
        guard let session, let account = accounts[session] else { return }
        let text = account.text(account.block) + account.volatile(account.block)
        try require(
            report.block == account.block && report.text == (hasText ? text : ""), .textGrows,
            "report \(report.block) \(report.text), heard \(account.block) \(text)")
        try require(
            account.counts.agree(with: report), .truthfulNumbers, "\(report), counted \(account.counts)")
        try require(hasText || report.finals.isEmpty, .rightAudience, "text for who may not read it")
        try require(
            report.state == account.state && Set(report.reasons) == account.reasons, .truthfulState,
            "report \(report.state), told \(account.state)")
    }
}
