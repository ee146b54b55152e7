import DictationCore

/// What a session does with sound before any decoder: finds speech in it, judges the microphone, counts silence.
/// Runs where the sound comes in, so that silence wakes no thread.
struct SpeechFront {
    enum Event {
        case speechBegan(at: Int)
        case speech(ArraySlice<Int16>)
        /// Speech has its greatest length: a segment ends, the next begins with the next sample.
        case cut(at: Int)
        case speechEnded(at: Int)
        case level(LevelProblem)
        /// As much silence after speech as was asked for, in samples.
        case silenceReached
    }

    /// Samples between two looks at the microphone's level: 0.1 s.
    private static let stride = 1600

    private var gate: SpeechGate
    private var meter = LevelMeter()
    /// Frames; nil asks for nothing.
    private let silenceLimit: Int?
    /// Where the silence behind the last speech began; nil while there is speech, before any, and when told.
    private var silentSince: Int?

    init(_ request: TranscriptionRequest) {
        var settings = SpeechGate.Settings()
        settings.longest = request.segmentLimit / .seconds(1)
        gate = SpeechGate(settings: settings)
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
            events += meter.hear(part, isSpeech: gate.isOpen).map(Event.level)
            let found = gate.process(part)
            let hangover = Int(gate.settings.hangover * 16000)
            events += found.map { note($0, silenceBefore: hangover) }
            if let limit = silenceLimit, let since = silentSince, gate.position - since >= limit {
                silentSince = nil
                events.append(.silenceReached)
            }
        }
        return events
    }

    /// The sound stops here for now.
    mutating func flush() -> [Event] {
        gate.flush().map { note($0, silenceBefore: 0) }
    }

    /// A new block: positions count from 0. Call ``flush()`` first to keep what is open.
    mutating func restart() {
        gate.restart()
        silentSince = nil
    }

    private mutating func note(_ event: SpeechGate.Event, silenceBefore hangover: Int) -> Event {
        switch event {
        case .onset(let position):
            silentSince = nil
            return .speechBegan(at: position)
        case .speech(let samples): return .speech(samples)
        case .cut(let position): return .cut(at: position)
        case .end(let position):
            silentSince = position - hangover
            return .speechEnded(at: position)
        }
    }
}
