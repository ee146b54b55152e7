import DictationCore

/// A session's work on the decoder's thread: takes what comes in, in order, and tells what becomes of it.
/// Confined to that thread.
struct TranscriptionLoop {
    /// Samples decoded before looking whether the session was closed: 0.1 s.
    private static let stride = 1600
    /// Audio between two hypotheses: 80 ms makes twelve a second.
    private static let hypothesisInterval = 1280

    private let inbox: Inbox
    private let outlet: EventOutlet
    private var gate: SpeechGate
    private var meter = LevelMeter()
    private var decoder: any SegmentWork
    private var block: BlockNumber
    private var lag = LagMeter()
    private var sinceHypothesis = 0
    /// A commit waits for what is being ended.
    private var isCommitted = false

    init(
        inbox: Inbox, outlet: EventOutlet, decoder: any SegmentWork, block: BlockNumber,
        segmentLimit: Duration
    ) {
        self.inbox = inbox
        self.outlet = outlet
        self.block = block
        var settings = SpeechGate.Settings()
        settings.longest = segmentLimit / .seconds(1)
        gate = SpeechGate(settings: settings)
        self.decoder = decoder
    }

    mutating func run() {
        do throws(RecognitionError) {
            try decoder.load()
            outlet.tell(.ready)
            while try step() {}
            decoder.abandon()
        } catch {
            // Told first: whoever finds the inbox closed knows of it, or will at once.
            outlet.tell(.engineLost(message: error.message))
            inbox.put(.close)
        }
    }

    /// False when the session was closed.
    private mutating func step() throws(RecognitionError) -> Bool {
        switch inbox.take(below: gate.restLevel) {
        case .audio(let samples):
            try hear(samples)
        case .gap(let frames):
            guard frames > 0 else { break }
            try handle(gate.skip(frames))
            outlet.tell(.overrun(frames: frames))
        case .cut:
            try handle(gate.flush())
            tell(try decoder.finishAll())
        case .acoustics(let key):
            guard key != decoder.acoustics else { break }
            try handle(gate.flush())
            decoder.adapt(to: key)
        case .endBlock(let number):
            isCommitted = true
            try handle(gate.flush())
            isCommitted = false
            tell(try decoder.finishAll())
            endBlock(number)
        case .discardBlock(let number):
            decoder.abandon()
            discardBlock(number)
        case .close:
            return false
        }
        if let change = lag.measure(Double(inbox.keptFrames) / 16000) { outlet.tell(.lag(change)) }
        return true
    }

    private mutating func endBlock(_ number: BlockNumber) {
        _ = gate.flush()
        outlet.tell(.blockEnded(number, duration: seconds(gate.position)), of: number)
        gate.restart()
        block = number + 1
    }

    private mutating func discardBlock(_ number: BlockNumber) {
        outlet.forget(number)
        gate.restart()
        block = number + 1
    }

    private mutating func hear(_ samples: [Int16]) throws(RecognitionError) {
        var rest = samples[...]
        while !rest.isEmpty && !outlet.isDeaf(to: block) {
            let part = rest.prefix(Self.stride)
            rest = rest.dropFirst(Self.stride)
            for problem in meter.hear(part, isSpeech: gate.isOpen) { outlet.tell(.level(problem)) }
            try handle(gate.process(part))
        }
    }

    private mutating func handle(_ events: [SpeechGate.Event]) throws(RecognitionError) {
        for event in events {
            switch event {
            case .onset(let position):
                outlet.tell(.speechBegan(block, at: seconds(position)), of: block)
                sinceHypothesis = 0
                try decoder.begin(at: seconds(position), of: block)
            case .speech(let samples):
                try decoder.append(samples)
                try tellHypothesis(after: samples.count)
            case .cut(let position):
                try finishSegment(at: position)
                try decoder.begin(at: seconds(position), of: block)
            case .end(let position):
                outlet.tell(.speechEnded(block, at: seconds(position)), of: block)
                try finishSegment(at: position)
            }
        }
    }

    private mutating func tellHypothesis(after samples: Int) throws(RecognitionError) {
        sinceHypothesis += samples
        guard sinceHypothesis >= Self.hypothesisInterval else { return }
        sinceHypothesis = 0
        if let text = decoder.hypothesis() { outlet.tell(.hypothesis(block, text), of: block) }
    }

    private mutating func finishSegment(at position: Int) throws(RecognitionError) {
        tell(
            try decoder.finish(at: seconds(position)) { [inbox, isCommitted] in
                isCommitted || inbox.holdsEndOfBlock
            })
    }

    private func tell(_ outcomes: [SegmentOutcome]) {
        for outcome in outcomes {
            switch outcome {
            case .segment(let segment): outlet.tell(.segment(block, segment), of: block)
            case .failed(let message): outlet.tell(.segmentFailed(block, message: message), of: block)
            }
        }
    }

    private func seconds(_ position: Int) -> Double { Double(position) / 16000 }
}

/// Seconds that decoding is behind, worth telling when they changed by a second or more.
struct LagMeter {
    private var told = 0.0

    mutating func measure(_ seconds: Double) -> Double? {
        guard abs(seconds - told) >= 1 || (seconds == 0 && told > 0) else { return nil }
        told = seconds
        return seconds
    }
}
