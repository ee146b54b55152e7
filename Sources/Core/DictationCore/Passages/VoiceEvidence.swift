/// What a stretch of sound shows of a voice. Counts frames of 10 ms.
///
/// The limits are measured: 21 kinds of noise (clicks, knocks, coughs, breath, paper, steady noise) have no pitched frame
/// but for real voices and tones; notes and ringtones have at most 5 % moving frames, speech 20 % or more, also in
/// noise of its own level. The shortest of 64 short words had 8 pitched frames and 3 moving ones.
public struct VoiceEvidence: Hashable, Sendable {
    public enum Source: Hashable, Sendable {
        case voice
        /// The pitch stands still: strings, whistles, ringtones.
        case tones
        /// No pitch. Whispering is also noise.
        case noise
    }

    /// Frames well above the noise floor.
    public var active: Int
    /// Frames with the same pitch as the frame before, between 70 and 400 Hz.
    public var pitched: Int
    /// Pitched frames whose pitch moves a little, as only that of a voice does.
    public var moving: Int
    /// A part of it is surely a voice.
    private var hasVoice = false

    private static let leastPitched = 4
    /// Moving frames that are speech, whatever else is heard.
    private static let surelyMoving = 30
    /// Pitched frames for a moving one in speech.
    private static let pitchedPerMoving = 10

    public init(active: Int = 0, pitched: Int = 0, moving: Int = 0) {
        self.active = active
        self.pitched = pitched
        self.moving = moving
    }

    public var source: Source {
        if hasVoice { return .voice }
        if pitched < Self.leastPitched { return .noise }
        if moving < Self.surelyMoving, moving * Self.pitchedPerMoving < pitched { return .tones }
        return .voice
    }

    /// Whether it may be a whisper of at least so many seconds.
    var mayBeWhisper: Bool { Double(active) / 100 >= Self.leastWhisper }

    /// Whether this sound without a voice may hold so many words: somebody may whisper a sentence. Invented texts are
    /// shorter, or have fewer words a second.
    func mayBeWhisper(ofWords words: Int) -> Bool {
        mayBeWhisper && words >= Self.wordsOfWhisper
            && Double(words) >= Self.whisperRate * Double(active) / 100
    }

    private static let leastWhisper = 1.0
    private static let wordsOfWhisper = 5
    private static let whisperRate = 1.5

    /// Joins two stretches. Sound with a word in it is a voice, however long the rest is.
    public static func += (sum: inout Self, other: Self) {
        sum.hasVoice = sum.source == .voice || other.source == .voice
        sum.active += other.active
        sum.pitched += other.pitched
        sum.moving += other.moving
    }
}
