// Written by packaging/generate from dbus/*.xml; change those instead.

public import DBus

/// `session` of `GetSession`. Nil is absent, or of a type that is not known.
public struct SessionDetails: Hashable, Sendable {
    public struct Finished: ValueConvertible, Hashable, Sendable {
        public static let signature: Signature = "(ts)"

        public var block: UInt64
        public var text: String

        public init(block: UInt64, text: String) {
            self.block = block
            self.text = text
        }

        public init?(_ value: Value) {
            guard case .structure(let fields) = value,
                let (block, text) = try? fields.decoded(as: UInt64.self, String.self)
            else { return nil }
            self.init(block: block, text: text)
        }

        public var value: Value { .structure([Value(block), Value(text)]) }
    }

    public struct Word: ValueConvertible, Hashable, Sendable {
        public static let signature: Signature = "(ss)"

        public var word: String
        public var pronunciation: String

        public init(word: String, pronunciation: String) {
            self.word = word
            self.pronunciation = pronunciation
        }

        public init?(_ value: Value) {
            guard case .structure(let fields) = value,
                let (word, pronunciation) = try? fields.decoded(as: String.self, String.self)
            else { return nil }
            self.init(word: word, pronunciation: pronunciation)
        }

        public var value: Value { .structure([Value(word), Value(pronunciation)]) }
    }

    /// number of the session
    public var session: UInt64?
    /// "idle", "starting", "listening", "paused", "interrupted"
    public var state: String?
    /// why it is interrupted, the latest last
    public var reasons: [String]?
    /// the evidence that the screen is locked: "locked-hint" (the session in logind), a screen saver's
    /// name on the session bus, as in SetScreenSavers, or "lock-signal" (logind was told to lock the
    /// session, and no lock screen has confirmed it since); absent while it is not locked
    public var lockedBy: String?
    /// commits in progress
    public var pending: UInt32?
    /// number of the current block
    public var block: UInt64?
    /// its text so far, finished segments first; empty if the caller or the session lacks permission
    public var text: String?
    /// the last finished blocks and their texts, at most 16, oldest first; empty if the caller or
    /// the session lacks permission
    public var finals: [Finished]?
    /// the microphone in use, as in ListRoutes; absent while none is
    public var route: [BusText: Value]?
    /// frames (at 16 kHz) lost while listening since Start. Never too few; on an overloaded machine
    /// it may be too many. Losses during a change of microphone are measured by the machine's
    /// clock, to about 40 ms
    public var dropouts: UInt64?
    /// seconds of audio since Start
    public var duration: Double?
    /// seconds by which recognition lags behind the audio
    public var lag: Double?
    /// what is wrong with the sound now, as in ProblemsChanged
    public var problems: [String]?
    /// the language that is spoken, as a BCP 47 tag
    public var language: String?
    /// "plain" or "dictation", as in Start
    public var formatting: String?
    /// whether it outlives its connection
    public var linger: Bool?
    /// whether the caller started it
    public var owner: Bool?
    /// words of the session and their pronunciations, several for a word if they were made from
    /// its spelling; empty if the dictionary has the word; absent if there are none, or if the
    /// caller or the session lacks permission
    public var vocabulary: [Word]?

    public init() {}

    public init(_ entries: [BusText: Value]) {
        session = entries["session"].flatMap { UInt64($0) }
        state = entries["state"].flatMap { String($0) }
        reasons = entries["reasons"].flatMap { [String]($0) }
        lockedBy = entries["locked-by"].flatMap { String($0) }
        pending = entries["pending"].flatMap { UInt32($0) }
        block = entries["block"].flatMap { UInt64($0) }
        text = entries["text"].flatMap { String($0) }
        finals = entries["finals"].flatMap { [Finished]($0) }
        route = entries["route"].flatMap { [BusText: Value]($0) }
        dropouts = entries["dropouts"].flatMap { UInt64($0) }
        duration = entries["duration"].flatMap { Double($0) }
        lag = entries["lag"].flatMap { Double($0) }
        problems = entries["problems"].flatMap { [String]($0) }
        language = entries["language"].flatMap { String($0) }
        formatting = entries["formatting"].flatMap { String($0) }
        linger = entries["linger"].flatMap { Bool($0) }
        owner = entries["owner"].flatMap { Bool($0) }
        vocabulary = entries["vocabulary"].flatMap { [Word]($0) }
    }

    public var entries: [BusText: Value] {
        var entries: [BusText: Value] = [:]
        entries["session"] = session?.value
        entries["state"] = state?.value
        entries["reasons"] = reasons?.value
        entries["locked-by"] = lockedBy?.value
        entries["pending"] = pending?.value
        entries["block"] = block?.value
        entries["text"] = text?.value
        entries["finals"] = finals?.value
        entries["route"] = route?.value
        entries["dropouts"] = dropouts?.value
        entries["duration"] = duration?.value
        entries["lag"] = lag?.value
        entries["problems"] = problems?.value
        entries["language"] = language?.value
        entries["formatting"] = formatting?.value
        entries["linger"] = linger?.value
        entries["owner"] = owner?.value
        entries["vocabulary"] = vocabulary?.value
        return entries
    }
}
