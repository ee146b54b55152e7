import DictationCore

// The effects of the world's facts.

extension Checker {
    /// The reasons of the session alone, without preemption.
    func ownReasons(_ record: SessionRecord) -> Set<Reason> {
        var reasons: Set<Reason> = []
        if !isPermitted(record) { reasons.insert(.permissionLost) }
        if record.hasEngineTrouble { reasons.insert(.engineLost) }
        guard record.usesMicrophone else { return reasons }
        if isAsleep { reasons.insert(.suspend) }
        var optional: Set<Reason> = []
        if seat?.isLocked == true { optional.insert(.sessionLocked) }
        if seat?.isActive == false { optional.insert(.sessionInactive) }
        if let audio {
            let source = microphones.expectedSource(wantedMicrophone(of: record))
            if !audio.isServerAvailable {
                reasons.insert(.audioServerLost)
            } else if source == nil {
                reasons.insert(.noSource)
            }
            if audio.otherCaptures.contains(where: { $0.role == "Communication" && $0.isRunning }) {
                optional.insert(.call)
            }
            if source?.isMuted == true { optional.insert(.sourceMuted) }
        }
        reasons.formUnion(optional.intersection(settings.interruptingReasons))
        return reasons == [.noSource] && isBeingMoved(record) ? [] : reasons
    }

    /// The session manager may be about to name the next default, and moves the stream by itself.
    private func isBeingMoved(_ record: SessionRecord) -> Bool {
        guard let capture, capture.session == record.id else { return false }
        return capture.isFlowing && capture.target == nil && wantedMicrophone(of: record) == nil
            && microphones.isDefaultMissing && !microphones.isDefaultOverdue(at: now)
    }

    /// The expected microphone for a new stream of this session; nil follows the default.
    func wantedMicrophone(of record: SessionRecord) -> NodeName? {
        microphones.wanted(
            preferences(of: record), passingOver: record.failedMicrophones, at: now)
    }

    /// The requested microphones, the most preferred first: Start's, then SelectRoute's, then the configured one, then
    /// a Bluetooth microphone if the configuration prefers those.
    func preferences(of record: SessionRecord) -> [NodeName] {
        let bluetooth = settings.prefersBluetooth ? microphones.firstBluetooth : nil
        return [record.options.route, microphones.selected, settings.route, bluetooth].compactMap { $0 }
    }

    /// The session that should have the microphone: the latest that wants it and is not interrupted.
    var holder: SessionRecord? {
        records.values.filter { $0.usesMicrophone && $0.wantsToListen && ownReasons($0).isEmpty }
            .max { $0.stamp < $1.stamp }
    }

    func mayListen(_ record: SessionRecord) -> Bool {
        guard record.wantsToListen, ownReasons(record).isEmpty else { return false }
        if record.usesMicrophone { return audio != nil && seat != nil && holder?.id == record.id }
        return !record.hasInputEnded
    }
}
