/// Lets speech through to the decoder and keeps silence from it: energy against a tracked noise floor.
///
/// Pure and deterministic: what comes out depends on the samples alone, not on how they were cut into calls.
/// Positions count samples from the last ``restart()``.
public struct VoiceActivityDetector: Sendable {
    public enum Event: Hashable, Sendable {
        /// Speech began; the position is that of the first sample of the pre-roll, which comes next.
        case onset(at: Int)
        /// What the decoder is to hear, without a gap from onset to end.
        case speech(ArraySlice<Int16>)
        /// Speech without a pause passed the limit: one segment ends here, the next begins with the next
        /// sample.
        case cut(at: Int)
        /// The position after the last sample let through.
        case end(at: Int)
    }

    public struct Settings: Hashable, Sendable {
        /// Real audio from before the first loud frame. Below 100 ms first words suffer, above nothing more
        /// is gained (12 points of word error rate at -100 ms, measured with PocketSphinx).
        public var preRoll = 0.3
        /// Silence that ends speech. 200 ms keeps the word error rate, 100 ms costs 14 points.
        public var hangover = 0.2
        /// Speech is cut at the first dip after this time, or where there is none, `cutSearch` later.
        public var longest = 15.0
        public var cutSearch = 2.0
        /// dB over the noise floor that count as active.
        public var openMargin: Float = 9
        /// The same while the gate is open: ends of words are weaker than their beginnings.
        public var holdMargin: Float = 6
        /// Never active below this, in dBFS: converters hiss there.
        public var quietest: Float = -66

        public init() {}
    }

    static let frame = 160
    /// Active frames among the last five that open the gate: 30 ms, longer than a key's click.
    private static let framesToOpen = 3

    public var settings: Settings
    /// The last sample let through or refused, counted from the last restart.
    public private(set) var position = 0
    public private(set) var isOpen = false
    /// Samples ever given.
    public private(set) var samplesIn = 0

    private var floor: NoiseFloor
    private var recent = ActivityHistory()
    private var previousSample: Float = 0
    private var inactiveFrames = 0
    private var activeRun = 0
    private var openedAt = 0
    /// Refused so far, for the pre-roll; at its end, what does not fill a frame yet.
    private var held: [Int16] = []
    /// Samples at the end of `held` that were not looked at yet.
    private var unseen = 0

    public init(settings: Settings = Settings()) {
        self.settings = settings
        floor = NoiseFloor(quietest: settings.quietest)
    }

    /// dBFS of the background, after the pre-emphasis that the gate hears through.
    public var noiseFloor: Float { floor.level }

    public mutating func process(_ samples: some Collection<Int16>) -> [Event] {
        samplesIn += samples.count
        held.append(contentsOf: samples)
        unseen += samples.count
        var events: [Event] = []
        var passed = held.startIndex
        while unseen >= Self.frame {
            let start = held.endIndex - unseen
            let end = start + Self.frame
            let level = Self.level(of: held[start..<end], after: &previousSample)
            unseen -= Self.frame
            position += Self.frame
            switch step(level) {
            case .stay:
                break
            case .open:
                let loud = start - (Self.framesToOpen - 1) * Self.frame
                let first = max(passed, loud - preRollSamples)
                openedAt = position - (end - first)
                events.append(.onset(at: openedAt))
                passed = first
            case .cut:
                events.append(.speech(held[passed..<end]))
                events.append(.cut(at: position))
                openedAt = position
                passed = end
            case .close:
                events.append(.speech(held[passed..<end]))
                events.append(.end(at: position))
                passed = end
            }
        }
        forget(passed, into: &events)
        return events
    }

    /// The audio stops here for now: what was let through ends, the pre-roll does not reach back over it.
    /// The noise floor is kept.
    public mutating func flush() -> [Event] {
        var events: [Event] = []
        position += unseen
        if isOpen {
            if unseen > 0 { events.append(.speech(held.suffix(unseen))) }
            events.append(.end(at: position))
        }
        held.removeAll(keepingCapacity: true)
        unseen = 0
        close()
        return events
    }

    /// A new block: positions count from 0. Call ``flush()`` first to keep what is open.
    public mutating func restart() {
        _ = flush()
        position = 0
    }

    /// Audio that never came, such as what was lost while decoding lagged.
    public mutating func skip(_ samples: Int) -> [Event] {
        let events = flush()
        position += samples
        return events
    }

    private var preRollSamples: Int { Int(settings.preRoll * 16000) }

    private enum Step {
        case stay, open, cut, close
    }

    private mutating func step(_ level: Float) -> Step {
        floor.hear(level, duringSpeech: isOpen)
        let margin = isOpen ? settings.holdMargin : settings.openMargin
        let isActive = level > max(floor.level + margin, settings.quietest)
        recent.add(level: level, isActive: isActive)
        guard isOpen else {
            guard recent.activeFrames >= Self.framesToOpen else { return .stay }
            isOpen = true
            inactiveFrames = 0
            activeRun = 0
            return .open
        }
        // One loud frame in a pause is a click, not speech.
        activeRun = isActive ? activeRun + 1 : 0
        inactiveFrames = activeRun >= 2 ? 0 : inactiveFrames + 1
        if Double(inactiveFrames * Self.frame) >= settings.hangover * 16000 {
            close()
            return .close
        }
        let length = Double(position - openedAt) / 16000
        if length >= settings.longest + settings.cutSearch || (length >= settings.longest && recent.isDip) {
            return .cut
        }
        return .stay
    }

    private mutating func close() {
        isOpen = false
        recent = ActivityHistory()
        inactiveFrames = 0
        activeRun = 0
    }

    /// Lets go of what was passed on, or of what is older than the pre-roll.
    private mutating func forget(_ passed: Int, into events: inout [Event]) {
        let seen = held.endIndex - unseen
        if isOpen {
            if seen > passed { events.append(.speech(held[passed..<seen])) }
            held.removeFirst(seen)
        } else {
            if passed > held.startIndex { held.removeFirst(passed) }
            // In strides of a second, so that forgetting costs less than hearing.
            let surplus = held.count - unseen - preRollSamples - Self.framesToOpen * Self.frame
            if surplus > 16000 { held.removeFirst(surplus) }
        }
    }

    /// dBFS of the loudest frame.
    static func loudness(of samples: [Int16]) -> Float {
        var previous = Float(samples.first ?? 0)
        return stride(from: 0, to: samples.count, by: frame).reduce(-96) { loudest, start in
            max(loudest, level(of: samples[start...].prefix(frame), after: &previous))
        }
    }

    /// dBFS of a frame after pre-emphasis, which takes rumble and hum out and leaves speech.
    /// - Parameter previous: the sample before it, and then its last.
    private static func level(of frame: ArraySlice<Int16>, after previous: inout Float) -> Float {
        var sum: Float = 0
        var last = previous
        frame.withUnsafeBufferPointer { samples in
            for sample in samples {
                let value = Float(sample)
                let emphasised = value - 0.95 * last
                sum += emphasised * emphasised
                last = value
            }
        }
        previous = last
        return decibels(meanSquare: sum / Float(frame.count))
    }
}

/// The last frames' levels, for opening and for finding a dip to cut at.
private struct ActivityHistory: Sendable {
    private var active: UInt8 = 0
    private var smoothed: Float = -90
    private var average: Float = -90

    /// Among the last five.
    var activeFrames: Int { (active & 0b11111).nonzeroBitCount }

    /// The level of the last 30 ms is well below that of the last second.
    var isDip: Bool { smoothed < average - 9 }

    mutating func add(level: Float, isActive: Bool) {
        active = active << 1 | (isActive ? 1 : 0)
        smoothed += (level - smoothed) * 0.4
        average += (level - average) * 0.01
    }
}
