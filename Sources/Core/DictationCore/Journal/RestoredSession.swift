extension JournalContents {
    /// The sound that is decoded. The first service that restores the session decodes it. If that fails to finish, the sound may be
    /// the reason.
    public var soundToDecode: [Stretch] { attempts == 0 ? sound : [] }

    /// Whether the texts may get their written form again. If that failed to finish, the text may be the reason: then the block
    /// has the words as the engine gave them.
    var mayBeFormatted: Bool { attempts == 0 }

    /// Whether to restore the session at all. After a second failure the text may be the reason.
    public var mayBeRestored: Bool { attempts < 2 }

    /// The frame of the block at which the sound to decode begins.
    var firstFrame: Int {
        if let first = soundToDecode.first { return first.frame }
        return sound.last?.end ?? Int(((texts.last?.segment.end ?? 0) * sampleRate).rounded())
    }

    /// Frames that the crash has lost.
    /// - Parameter idle: from the last entry to the start of this service. Sound waits for less than a second before it is
    ///   written, so that no more is lost unless the journal was full.
    public func lostFrames(idle: Duration) -> Int {
        let undecoded = attempts == 0 ? 0 : frames
        guard isFlowing || isFull else { return undecoded }
        let silence = max(.zero, isFull ? idle : min(idle, .seconds(1)))
        return undecoded + Int(silence.seconds * sampleRate)
    }
}

/// A session of a service that crashed.
public struct RestoredSession: Hashable, Sendable {
    public var id: SessionID
    public var client: Client
    /// Whether the connection of ``client`` still exists. If not, the session lingers.
    public var hasOwner: Bool
    public var options: StartOptions
    /// The block that was not committed.
    var block: BlockNumber
    var texts: [JournalText]
    /// Whether the block's words get their written form.
    var isFormatted: Bool
    /// Frames of the block before the sound to decode.
    var settledFrames: Int
    /// Frames that will be decoded.
    var frames: Int
    /// Frames lost before and in the crash.
    var lostFrames: Int
    /// How long the session is kept if its client does not use it.
    var lifetime: Duration

    /// - Parameters:
    ///   - idle: see ``JournalContents/lostFrames(idle:)``.
    ///   - age: since the end of its service.
    public init(
        _ contents: JournalContents, hasOwner: Bool, options: StartOptions, idle: Duration, age: Duration
    ) {
        id = contents.session.id
        client = contents.session.client
        self.hasOwner = hasOwner
        self.options = options
        block = contents.block
        texts = contents.texts
        isFormatted = contents.mayBeFormatted
        settledFrames = contents.firstFrame
        frames = contents.soundToDecode.reduce(0) { $0 + $1.samples.count }
        lostFrames = contents.droppedFrames + contents.lostFrames(idle: idle)
        lifetime = max(.zero, JournalContents.lifetime - age)
    }
}

extension DictationMachine {
    /// Why a session cannot continue now; nil if it can.
    public func refusal(ofRestoring restored: RestoredSession) -> Refusal? {
        let client = restored.client
        if let refusal = refusal(ofStart: restored.options, by: client) { return refusal }
        if !restored.options.lingers, !restored.hasOwner {
            return Refusal(.notRunning, "The connection of the session has ended.")
        }
        if isShuttingDown { return Refusal(.cancelled, "The service is shutting down.") }
        if sessions.count >= settings.sessionLimit {
            return Refusal(.limitExceeded, "\(settings.sessionLimit) sessions are running.")
        }
        let hasOther =
            index(of: restored.id) != nil
            || sessions.contains { $0.owner == client.name && $0.ending == nil }
            || restored.options.lingers && lingeringSession(of: client.controlGroup) != nil
        return hasOther ? Refusal(.alreadyRunning, "Another session is running.") : nil
    }

    /// The session continues, paused.
    mutating func restore(_ restored: RestoredSession, at now: Duration) {
        guard refusal(ofRestoring: restored) == nil else { return }
        let client = restored.client
        var session = Session(
            restored.id, by: client, options: restored.options, wantedSince: nextStamp(), at: now)
        session.restore(restored, at: now)
        session.allowedOnce = world.allowedOnce[client] ?? []
        session.permission = world.permission(of: session)
        if restored.hasOwner { pastOwners.insert(client.name) }
        session.openEngine(&effects)
        sessions.append(session)
    }
}

extension Session {
    mutating func restore(_ restored: RestoredSession, at now: Duration) {
        if !restored.hasOwner { owner = nil }
        intention = .pause
        cause = .restored
        unclaimedUntil = now + restored.lifetime
        recording = nil
        block = Block(
            number: restored.block, formatting: options.formatting, isWritten: restored.isFormatted)
        block.restore(restored.texts)
        // The field that had the focus before is not known.
        block.isSecret = true
        block.hasSpeech = restored.frames > 0
        clockShift = ClockShift(
            block: restored.block, seconds: Double(restored.settledFrames) / sampleRate)
        capturedFrames = restored.settledFrames + restored.frames
        block.capturedFrames = capturedFrames
        droppedFrames = restored.lostFrames
        block.droppedFrames = restored.lostFrames
    }
}

/// How much the clock of a block is ahead of its recogniser's.
struct ClockShift: Hashable, Sendable {
    var block: BlockNumber
    var seconds: Double
}

extension RecognitionEvent {
    /// With times on the clock of a restored block. Its recogniser counts from the beginning of the sound that was not decoded.
    func shifted(by shift: ClockShift) -> RecognitionEvent {
        switch self {
        case .segment(shift.block, let segment): .segment(shift.block, segment.shifted(by: shift.seconds))
        case .preview(shift.block, let segment): .preview(shift.block, segment.shifted(by: shift.seconds))
        case .passage(shift.block, let text): .passage(shift.block, text.shifted(by: shift.seconds))
        case .passageLost(shift.block, let text, let message):
            .passageLost(shift.block, text.shifted(by: shift.seconds), message: message)
        case .blockEnded(shift.block, let duration):
            .blockEnded(shift.block, duration: duration + shift.seconds)
        default: self
        }
    }
}

extension PassageText {
    fileprivate func shifted(by seconds: Double) -> PassageText {
        var text = self
        text.segment = segment?.shifted(by: seconds)
        return text
    }
}

extension Segment {
    fileprivate func shifted(by seconds: Double) -> Segment {
        var segment = self
        segment.start += seconds
        segment.end += seconds
        for index in words.indices {
            segment.words[index].start += seconds
            segment.words[index].end += seconds
        }
        return segment
    }
}
