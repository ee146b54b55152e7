import DictationCore

// What the world forbids.

extension Checker {
    /// The reasons of a session's own that must hold, and those that may because it is not known from outside which
    /// microphone it would use.
    func ownReasons(_ account: Account) -> (must: Set<Reason>, may: Set<Reason>) {
        var must: Set<Reason> = []
        var may: Set<Reason> = []
        if !isPermitted(account) { must.insert(.permissionLost) }
        if account.hasEngineTrouble { must.insert(.engineLost) }
        guard account.usesMicrophone else { return (must, may) }
        if isAsleep { must.insert(.suspend) }
        var optional: Set<Reason> = []
        if seat?.isLocked == true { optional.insert(.sessionLocked) }
        if seat?.isActive == false { optional.insert(.sessionInactive) }
        if let audio {
            let possible = possibleSources(account, audio)
            let hasDefault = audio.defaultSource.map { audio.sources[$0] != nil } ?? false
            if !audio.isServerAvailable {
                must.insert(.audioServerLost)
            } else if possible.isEmpty {
                must.insert(.noSource)
            } else if account.hasEverFailed, capture?.session != account.id, !hasDefault {
                may.insert(.noSource)
            }
            if audio.otherCaptures.contains(where: { $0.role == "Communication" && $0.isRunning }) {
                optional.insert(.call)
            }
            if settings.interruptingReasons.contains(.sourceMuted) {
                let isKnown = !account.hasEverFailed || hasDefault
                if isKnown, !possible.isEmpty, possible.allSatisfy(\.isMuted) { must.insert(.sourceMuted) }
                if possible.contains(where: \.isMuted) { may.insert(.sourceMuted) }
            }
        }
        must.formUnion(optional.intersection(settings.interruptingReasons))
        if must == [.noSource], isBeingMoved(account) { must = [] }
        return (must, may)
    }

    /// The session manager may be about to name the next default, and moves the stream by itself.
    private func isBeingMoved(_ account: Account) -> Bool {
        guard let capture, capture.session == account.id else { return false }
        return capture.isFlowing && capture.target == nil && audio?.sources.isEmpty == false
            && !isDefaultOverdue
    }

    /// The microphones that a stream of this session may be meant for.
    private func possibleSources(_ account: Account, _ audio: AudioFacts) -> [Source] {
        let defaultSource = audio.defaultSource.flatMap { audio.sources[$0] }
        let candidates = preferences(of: account).compactMap { audio.sources[$0] }
        let standIns =
            isDefaultOverdue
            ? audio.sources.values.sorted { ($1.priority, $0.name) < ($0.priority, $1.name) } : []
        if account.hasEverFailed { return candidates + (defaultSource.map { [$0] } ?? standIns) }
        return (candidates.first ?? defaultSource ?? standIns.first).map { [$0] } ?? []
    }

    /// The microphones that somebody wants for this session, the most wanted first.
    func preferences(of account: Account) -> [NodeName] {
        let bluetooth =
            settings.prefersBluetooth
            ? audio?.sources.values.filter(\.isBluetooth).map(\.name).min() : nil
        return [account.options.route, selected, settings.route, bluetooth].compactMap { $0 }
    }

    /// No default has been named for so long that any microphone will do.
    private var isDefaultOverdue: Bool { defaultMissingSince.map { now - $0 >= .seconds(1) } ?? false }

    /// The reasons of its own among those it was told to have.
    func ownReasonsTold(_ account: Account) -> Set<Reason> {
        let (must, may) = ownReasons(account)
        // Who is told to be preempted is told to have none.
        if account.reasons.contains(.preempted) { return must }
        return must.union(may.intersection(account.reasons))
    }

    /// Whether it cannot be told from outside if a session lacks a source or its stream merely failed, and so who
    /// has the microphone.
    var isAmbiguous: Bool {
        accounts.values.contains {
            $0.wantsToListen && $0.hasStreamTrouble && $0.reasons.contains(.noSource)
                && ownReasons($0).may.contains(.noSource)
        }
    }

    /// Who has the microphone: the latest that wants it and that nothing keeps from it.
    var holder: Account? {
        accounts.values.filter { $0.usesMicrophone && $0.wantsToListen && ownReasonsTold($0).isEmpty }
            .max { $0.stamp < $1.stamp }
    }

    func mayListen(_ account: Account) -> Bool {
        guard account.wantsToListen, ownReasonsTold(account).isEmpty else { return false }
        if account.usesMicrophone { return audio != nil && seat != nil && holder?.id == account.id }
        return !account.hasInputEnded
    }
}
