extension StartOption {
    /// The most words in `vocabulary`; a word with two pronunciations counts twice.
    public static let wordLimit = 1000
    /// The most phrases.
    public static let phraseLimit = 256
    /// Milliseconds of silence; 0 beside it means never.
    public static let autoCommitRange: ClosedRange<UInt32> = 200...60_000
    public static let speechSecondsRange: ClosedRange<UInt32> = 5...60
    /// Seconds of a file of a recording.
    public static let recordingSegmentRange: ClosedRange<UInt32> = 5...3600
}
