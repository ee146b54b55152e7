import DictationCore

/// Processes a session's audio before decoding: finds speech, measures silence.
/// Runs on the thread that delivers the audio, so that silence wakes no other thread.
struct SpeechFront {
    enum Event {
        case speechBegan(at: Int)
        /// With what the segment shows of a voice so far.
        case speech(ArraySlice<Int16>, VoiceEvidence)
        /// Speech reached its maximum length. The segment ends here, possibly with its passage, and the next begins with the
        /// next sample.
        case cut(at: Int, PassageBuilder.Sound?)
        /// A passage begins. Its first samples may belong to the passage before as well.
        case passageBegan(at: Int, overlaps: Bool)
        /// A passage ended after the last segment.
        case passage(PassageBuilder.Sound)
        case speechEnded(at: Int)
        /// The silence after speech has reached the requested length.
        case silenceReached
    }

    /// Samples that are processed at a time: 0.1 s.
    private static let stride = 1600

    private var offset = OffsetRemover()
    private var detector: VoiceActivityDetector
    /// Measures the present segment.
    private var meter = VoiceMeter()
    /// What the present passage shows of a voice, up to the present segment.
    private var passageVoice = VoiceEvidence()
    /// Nil if no engine takes passages.
    private var passages: PassageBuilder?
    /// In seconds, for segments outside passages.
    private let longestSegment: Double
    private let cutSearch: Double
    /// In frames; nil reports no silence.
    private let silenceLimit: Int?
    /// Where the silence after the last speech began. Nil during speech, before the first, and after the report.
    private var silentSince: Int?

    init(_ request: TranscriptionRequest, findsPassages: Bool) {
        var settings = VoiceActivityDetector.Settings()
        settings.longest = request.segmentLimit / .seconds(1)
        detector = VoiceActivityDetector(settings: settings)
        longestSegment = settings.longest
        cutSearch = settings.cutSearch
        passages = findsPassages ? PassageBuilder() : nil
        silenceLimit = request.silenceLimit.map { Int($0 / .milliseconds(1)) * 16 }
    }

    /// Frames of sound since the block began.
    var position: Int { detector.position }

    /// How passages that begin later are cut.
    mutating func use(_ rules: PassageCutter.Rules) { passages?.use(rules) }

    /// The sound of the open passage from a position on.
    func passageSound(from start: Int) -> [Int16] {
        passages?.samples(from: start, to: detector.position) ?? []
    }

    mutating func process(_ samples: [Int16]) -> [Event] {
        var events: [Event] = []
        var rest = offset.remove(from: samples)[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.stride)
            rest = rest.dropFirst(Self.stride)
            passages?.append(part)
            let activeBefore = detector.activeFrames
            let found = detector.process(part)
            meter.addActive(detector.activeFrames - activeBefore)
            let hangover = Int(detector.settings.hangover * 16000)
            for event in found { handle(event, silenceBefore: hangover, in: &events) }
            if let passage = passages?.advance(to: detector.position) { end(passage, in: &events) }
            if let limit = silenceLimit, let since = silentSince, detector.position - since >= limit {
                silentSince = nil
                events.append(.silenceReached)
            }
        }
        return events
    }

    /// The audio is interrupted here.
    mutating func flush() -> [Event] {
        var events: [Event] = []
        for event in detector.flush() { handle(event, silenceBefore: 0, in: &events) }
        if let passage = passages?.flush(at: detector.position) { end(passage, in: &events) }
        return events
    }

    /// Begins a block: positions count from 0. Call ``flush()`` first to keep an unfinished segment.
    mutating func restart() {
        detector.restart()
        meter = VoiceMeter()
        passageVoice = VoiceEvidence()
        passages?.restart()
        silentSince = nil
    }

    private mutating func handle(
        _ event: VoiceActivityDetector.Event, silenceBefore hangover: Int, in events: inout [Event]
    ) {
        switch event {
        case .onset(let position):
            silentSince = nil
            let before = passages?.start
            if let passage = passages?.speechBegan(at: position) { end(passage, in: &events) }
            reportPassage(unless: before, in: &events)
            limitSegment(from: position)
            events.append(.speechBegan(at: position))
        case .speech(let samples):
            meter.append(samples)
            events.append(.speech(samples, meter.evidence))
        case .cut(let position):
            passageVoice += meter.takeEvidence()
            let before = passages?.start
            events.append(.cut(at: position, passages?.speechCut(at: position).map { withVoice($0) }))
            reportPassage(unless: before, in: &events)
            limitSegment(from: position)
        case .end(let position):
            silentSince = position - hangover
            passageVoice += meter.takeEvidence()
            passages?.speechEnded(at: position)
            events.append(.speechEnded(at: position))
        }
    }

    private mutating func end(_ passage: PassageBuilder.Sound, in events: inout [Event]) {
        events.append(.passage(withVoice(passage)))
    }

    private mutating func withVoice(_ passage: PassageBuilder.Sound) -> PassageBuilder.Sound {
        defer { passageVoice = VoiceEvidence() }
        var passage = passage
        passage.voice = passageVoice
        return passage
    }

    private func reportPassage(unless before: Int?, in events: inout [Event]) {
        guard let passages, let start = passages.start, start != before else { return }
        events.append(.passageBegan(at: start, overlaps: passages.overlaps))
    }

    /// Cuts the segment at the end of its passage.
    private mutating func limitSegment(from position: Int) {
        guard let passages else { return }
        let left = passages.secondsUntilDip(from: position)
        detector.settings.longest = min(longestSegment, left)
        detector.settings.cutSearch = left <= longestSegment ? passages.dipSearch : cutSearch
    }
}
