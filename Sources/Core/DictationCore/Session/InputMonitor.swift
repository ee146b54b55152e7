/// Decides what is wrong with a session's sound, from what ``SoundMeter`` measures.
///
/// A problem that ends in pauses of speech would come and go. So it lasts until the sound shows that it is over.
struct InputMonitor: Hashable, Sendable {
    /// Parts, of 0.1 s, without sound until the microphone counts as silent. Most microphones are never silent.
    static let silentParts = 15
    /// The same after there was sound: noise suppression makes the pauses of speech silent.
    static let silentPartsAfterSound = 50
    /// A converter without a microphone gives zeros, or noise of one bit.
    private static let noiseOfConverters = 2
    /// The fraction of a second's samples at full scale from which recognition suffers.
    private static let clippedShare = 0.001
    private static let partsWithoutClipping = 30
    /// The mean square of speech below which recognition suffers: -54 dBFS. The upper nine of 16 bits are empty then.
    private static let quietSpeech = 32768.0 * 32768.0 * 3.98e-6
    /// Speech is louder than the background by at least 9 dB, as a ratio of mean squares.
    private static let speechRatio = 8.0
    /// Parts of speech within ``recentParts``, of which ``runOfSpeech`` follow each other. Clicks of keys are shorter.
    private static let partsOfSpeech = 6
    private static let runOfSpeech = 3
    private static let recentParts = 15
    private static let partsOfClipping = 10
    /// Parts with one cancelled channel, and then without, that change the answer.
    private static let antiphaseParts = 5

    private(set) var hasSound = false
    private var partsWithoutSound = 0
    private var clippedSamples: [Int] = []
    private var partsSinceClipping = 0
    private var isClipping = false
    private var powers: [Double] = []
    private var isTooQuiet = false
    private var partsInAntiphase = 0
    private var isInAntiphase = false

    /// What is wrong now.
    var problems: Set<InputProblem> {
        var problems: Set<InputProblem> = []
        if partsWithoutSound >= (hasSound ? Self.silentPartsAfterSound : Self.silentParts) {
            problems.insert(.silent)
        } else if isTooQuiet {
            problems.insert(.tooQuiet)
        }
        if isClipping { problems.insert(.clipping) }
        if isInAntiphase { problems.insert(.antiphase) }
        return problems
    }

    /// - Parameter hasSound: the same microphone has given sound before.
    init(hasSound: Bool = false) { self.hasSound = hasSound }

    /// Takes the next 0.1 s of sound.
    /// - Parameter isAwaited: the user waits for the text of what was said, and need not speak.
    mutating func add(_ part: SoundMeasure, isAwaited: Bool = false) {
        let isSound = part.range > Self.noiseOfConverters
        hasSound = hasSound || isSound
        if isSound {
            partsWithoutSound = 0
        } else if !hasSound || !isAwaited {
            partsWithoutSound += 1
        }
        judgeClipping(part)
        judgeLoudness(isSound ? part.power : 0)
        judgePhase(part)
    }

    private mutating func judgeClipping(_ part: SoundMeasure) {
        clippedSamples.append(part.clipped)
        if clippedSamples.count > Self.partsOfClipping { clippedSamples.removeFirst() }
        let limit = Self.clippedShare * Double(SoundMeter.part * Self.partsOfClipping)
        if Double(clippedSamples.reduce(0, +)) > limit {
            isClipping = true
            partsSinceClipping = 0
        } else {
            partsSinceClipping += 1
            if partsSinceClipping >= Self.partsWithoutClipping { isClipping = false }
        }
    }

    private mutating func judgeLoudness(_ power: Double) {
        powers.append(power)
        if powers.count > Self.recentParts { powers.removeFirst() }
        guard powers.count == Self.recentParts, let background = powers.min() else { return }
        let isSpeech = powers.map { $0 > max(background, 1) * Self.speechRatio }
        var run = 0
        var longestRun = 0
        for loud in isSpeech {
            run = loud ? run + 1 : 0
            longestRun = max(longestRun, run)
        }
        let speech = zip(powers, isSpeech).filter(\.1).map(\.0)
        guard speech.count >= Self.partsOfSpeech, longestRun >= Self.runOfSpeech else { return }
        isTooQuiet = speech.reduce(0, +) / Double(speech.count) < Self.quietSpeech
    }

    private mutating func judgePhase(_ part: SoundMeasure) {
        guard part.range > Self.noiseOfConverters else { return }
        partsInAntiphase = part.isAntiphase == isInAntiphase ? 0 : partsInAntiphase + 1
        guard partsInAntiphase >= Self.antiphaseParts else { return }
        isInAntiphase.toggle()
        partsInAntiphase = 0
    }
}

/// What is wrong with the sound of a session. The order is that in which people should mend it.
public enum InputProblem: String, Hashable, Sendable, CaseIterable {
    /// The microphone is muted.
    case muted
    /// The volume of the microphone is 0.
    case noVolume = "no-volume"
    /// All samples are zero, or noise of one bit.
    case silent = "input-silent"
    case tooQuiet = "input-too-quiet"
    case clipping
    /// Its channels cancel each other. One of them is used.
    case antiphase
}
