import DictationCore

/// What a session does with sound before any decoder: finds speech in it, judges the microphone, counts silence.
/// Runs where the sound comes in, so that silence wakes no thread.
struct SpeechFront {
    enum Event {
        case speechBegan(at: Int)
        case speech(ArraySlice<Int16>)
        /// Speech has its greatest length: a segment ends, and a passage may, and the next begins with the next
        /// sample.
        case cut(at: Int, PassageBuilder.Sound?)
        /// A passage ended behind the last segment.
        case passage(PassageBuilder.Sound)
        case speechEnded(at: Int)
        case level(LevelProblem)
        /// As much silence after speech as was asked for, in samples.
        case silenceReached
    }

    /// Samples between two looks at the microphone's level: 0.1 s.
    private static let stride = 1600

    private var gate: VoiceActivityDetector
    /// Nil where no engine wants passages.
    private var passages: PassageBuilder?
    /// Seconds; of the gate where no passage is open.
    private let longestSegment: Double
    private let cutSearch: Double
    private var levelProblems = LevelProblemDetector()
    /// Frames; nil asks for nothing.
    private let silenceLimit: Int?
    /// Where the silence behind the last speech began; nil while there is speech, before any, and when told.
    private var silentSince: Int?

    init(_ request: TranscriptionRequest, findsPassages: Bool) {
        var settings = VoiceActivityDetector.Settings()
        settings.longest = request.segmentLimit / .seconds(1)
        gate = VoiceActivityDetector(settings: settings)
        longestSegment = settings.longest
        cutSearch = settings.cutSearch
        passages = findsPassages ? PassageBuilder() : nil
        silenceLimit = request.silenceLimit.map { Int($0 / .milliseconds(1)) * 16 }
    }

    /// Frames of sound since the block began.
    var position: Int { gate.position }

    mutating func hear(_ samples: [Int16]) -> [Event] {
        var events: [Event] = []
        var rest = samples[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.stride)
            rest = rest.dropFirst(Self.stride)
            events += levelProblems.hear(part, isSpeech: gate.isOpen).map(Event.level)
            passages?.hear(part)
            let found = gate.process(part)
            let hangover = Int(gate.settings.hangover * 16000)
            for event in found { note(event, silenceBefore: hangover, in: &events) }
            if let passage = passages?.advance(to: gate.position) { events.append(.passage(passage)) }
            if let limit = silenceLimit, let since = silentSince, gate.position - since >= limit {
                silentSince = nil
                events.append(.silenceReached)
            }
        }
        return events
    }

    /// The sound stops here for now.
    mutating func flush() -> [Event] {
        var events: [Event] = []
        for event in gate.flush() { note(event, silenceBefore: 0, in: &events) }
        if let passage = passages?.flush(at: gate.position) { events.append(.passage(passage)) }
        return events
    }

    /// A new block: positions count from 0. Call ``flush()`` first to keep what is open.
    mutating func restart() {
        gate.restart()
        passages?.restart()
        silentSince = nil
    }

    private mutating func note(
        _ event: VoiceActivityDetector.Event, silenceBefore hangover: Int, in events: inout [Event]
    ) {
        switch event {
        case .onset(let position):
            silentSince = nil
            if let passage = passages?.speechBegan(at: position) { events.append(.passage(passage)) }
            limitSegment(from: position)
            events.append(.speechBegan(at: position))
        case .speech(let samples):
            events.append(.speech(samples))
        case .cut(let position):
            events.append(.cut(at: position, passages?.speechCut(at: position)))
            limitSegment(from: position)
        case .end(let position):
            silentSince = position - hangover
            passages?.speechEnded(at: position)
            events.append(.speechEnded(at: position))
        }
    }

    /// Speech is cut where its passage must be.
    private mutating func limitSegment(from position: Int) {
        guard let passages else { return }
        let left = passages.secondsUntilDip(from: position)
        gate.settings.longest = min(longestSegment, left)
        gate.settings.cutSearch = left <= longestSegment ? passages.dipSearch : cutSearch
    }
}
