public import DBus
import DictationInterface

/// A finished file of a recording.
public struct RecordedSegment: Hashable, Sendable {
    /// A pause or an interruption, which takes no time in the recording.
    public struct Gap: Hashable, Sendable {
        /// In seconds from the beginning of the file.
        public var position: Double
        /// Its length in seconds.
        public var duration: Double
        /// "paused", "route", or a reason of interruption.
        public var reason: String

        public init(position: Double, duration: Double, reason: String) {
            self.position = position
            self.duration = duration
            self.reason = reason
        }
    }

    /// Of the file in its folder; empty if the recording is a single file.
    public var name: String
    /// Its position in the recording, in seconds.
    public var start: Double
    /// In seconds.
    public var duration: Double
    /// The block that it belongs to; nil if the recording is a single file.
    public var block: UInt64?
    public var gaps: [Gap]

    /// `details` as in the signal SegmentRecorded. Invalid values are ignored.
    public init(name: String, start: Double, duration: Double, details: [BusText: Value] = [:]) {
        self.name = name
        self.start = start
        self.duration = duration
        let details = RecordingDetails(details)
        block = details.block
        gaps =
            details.gaps?.map { Gap(position: $0.position, duration: $0.duration, reason: $0.reason) } ?? []
    }
}
