import DictationCore

// Replies to calls, and the outcomes of commits.

extension Checker {
    private mutating func take(_ id: CallID) throws(Violation) -> OpenCall {
        guard let call = calls.removeValue(forKey: id) else {
            throw Violation(
                .oneAnswerPerCall, "call \(id.rawValue) is answered again, or after its caller went")
        }
        return call
    }

    mutating func check(_ refusal: Refusal, to id: CallID) throws(Violation) {
        let call = try take(id)
        switch call.expected {
        case .refused(let kind):
            try require(kind == refusal.kind, .oneAnswerPerCall, "\(refusal.kind), not \(kind)")
        case .commit(let session, let block):
            guard var record = records[session] else { return }
            if !mayRead(record, call.client) {
                // The commit continues, for the owner and subscribers.
                for index in record.commits.indices where record.commits[index].call == id {
                    records[session]?.commits[index].call = nil
                    records[session]?.commits[index].wasRefused = true
                }
                return
            }
            if record.mustBeLeft {
                // The block stays in the journal.
                try require(refusal.kind == .cancelled, .oneOutcomePerCommit, "\(refusal) at the end")
                for index in record.commits.indices where record.commits[index].call == id {
                    records[session]?.commits[index].call = nil
                }
                return
            }
            try require(
                record.settling.contains(block), .oneOutcomePerCommit,
                "commit of \(block) refused: \(refusal)")
            try takeCommit(block, of: &record)
            records[session] = record
        default:
            throw Violation(.oneAnswerPerCall, "\(call.request) refused: \(refusal)")
        }
    }

    mutating func check(_ reply: Reply, to id: CallID) throws(Violation) {
        let call = try take(id)
        switch (call.expected, reply) {
        case (.started(let session), .started(let started)) where session == started:
            records[session]?.isAnnounced = true
        case (.done, .done), (.information, .permission), (.information, .routes):
            break
        case (.stopping(let count), .stopping(let stopped)) where count == stopped:
            break
        case (.cancelled(let block), .cancelled(let cancelled)) where block == cancelled:
            break
        case (.report(let session, let hasText), .session(let report)):
            try check(report, session, hasText: hasText)
        case (.stop(let session), .done):
            try require(records[session] == nil, .oneAnswerPerCall, "Stop is answered before it is over")
        case (.commit(let session, let block), .committed(let finished)):
            try require(finished.number == block, .oneOutcomePerCommit, "\(finished.number), not \(block)")
            guard var record = records[session] else { return }
            if record.lastFinal != block {
                try require(!hasTextAudience(record), .oneOutcomePerCommit, "reply to \(block) before Final")
                try noteFinished(finished, of: &record)
                records[session] = record
            }
        default:
            throw Violation(.oneAnswerPerCall, "\(call.request) is answered \(reply)")
        }
    }

    mutating func noteFinished(_ finished: FinishedBlock, of record: inout SessionRecord) throws(Violation) {
        let block = finished.number
        try require(isPermitted(record), .rightAudience, "Final of \(block) without permission")
        if block == record.block, record.engine == .gone { try expectAutomaticCommit(of: &record) }
        let commit = record.commits.first { $0.block == block }
        try takeCommit(block, of: &record)
        try require(
            finished.isAutomatic == commit?.isAutomatic, .oneOutcomePerCommit,
            "\(block) is told to be committed automatically: \(finished.isAutomatic)")
        try require(
            record.settling.contains(block) || commit?.isSettled == true, .oneOutcomePerCommit,
            "\(block) is finished before it can be")
        try require(
            finished.text == record.text(block), .textGrows,
            "Final \(finished.text), heard \(record.text(block))")
        try require(
            record.counts.agree(with: finished), .truthfulNumbers, "\(finished), counted \(record.counts)")
        record.lastFinal = block
        record.keep(block)
        record.forget(block)
    }

    /// Removes the commit of this block from the head of those in progress. A commit without a waiting caller and
    /// without text may have ended without a signal.
    private func takeCommit(_ block: BlockNumber, of record: inout SessionRecord) throws(Violation) {
        while let first = record.commits.first, first.block != block, isSilent(first, record) {
            if !record.text(first.block).isEmpty { record.keep(first.block) }
            record.commits.removeFirst()
        }
        let promise: Violation.Promise =
            record.commits.contains { $0.block == block } ? .oneOutcomePerCommit : .noFinalForCancelled
        try require(record.commits.first?.block == block, promise, "\(block) is finished out of turn")
        record.commits.removeFirst()
    }

    private func isSilent(_ commit: SessionRecord.Commit, _ record: SessionRecord) -> Bool {
        // A session ends with its owner, also one that others may follow.
        let isOwnerless = record.owner == nil && !record.options.lingers
        return commit.call.flatMap { calls[$0] } == nil
            && (record.text(commit.block).isEmpty || !hasTextAudience(record) || !isPermitted(record)
                || isOwnerless)
    }

    /// Checks that everything due in this event is finished.
    mutating func checkSettled() throws(Violation) {
        for (id, record) in records {
            var record = record
            for index in record.commits.indices where record.settling.contains(record.commits[index].block) {
                record.commits[index].isSettled = true
            }
            record.settling = []
            // Without permission, what is finished waits.
            if isPermitted(record) {
                for commit in record.commits where commit.isSettled {
                    try require(isSilent(commit, record), .oneOutcomePerCommit, "\(commit) has no outcome")
                    if !record.text(commit.block).isEmpty { record.keep(commit.block) }
                }
                record.commits.removeAll(where: \.isSettled)
            }
            records[id] = record
        }
        for (id, call) in calls {
            switch call.expected {
            case .commit(let session, _):
                try require(
                    records[session].map { mayRead($0, call.client) } ?? false, .oneAnswerPerCall,
                    "\(id) \(call.request) waits without permission")
            case .stop(let session):
                try require(
                    records[session] != nil, .oneAnswerPerCall, "\(id) \(call.request) outlives its session")
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
        guard let session, let record = records[session] else { return }
        let text = record.text(record.block) + record.volatile(record.block)
        try require(
            report.block == record.block && report.text == (hasText ? text : ""), .textGrows,
            "report \(report.block) \(report.text), heard \(record.block) \(text)")
        try require(
            record.counts.agree(with: report), .truthfulNumbers, "\(report), counted \(record.counts)")
        try require(hasText || report.finals.isEmpty, .rightAudience, "text for a caller who may not read it")
        let finals = report.finals.map(\.text).filter { !$0.isEmpty }
        let known = record.finals.map { $0.text.stable(isWritten: record.isWritten) }.filter { !$0.isEmpty }
        try require(!hasText || finals == known, .textGrows, "report \(finals), heard \(known)")
        let linked = capture.flatMap { $0.session == session && $0.isLinked ? record.link.source : nil }
        let isRouteRight =
            if let route = report.route, let linked {
                microphones.agrees(route, with: linked, isInUse: true)
            } else {
                report.route == nil && linked == nil
            }
        try require(
            report.state == record.state && Set(report.reasons) == record.reasons
                && report.pending == record.commits.count && report.lockedBy == seat?.lockedBy
                && report.lingers == record.options.lingers && isRouteRight,
            .truthfulState, "report \(report), told \(record.state)")
    }
}
