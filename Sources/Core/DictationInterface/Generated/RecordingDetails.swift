// Written by packaging/generate from dbus/*.xml; change those instead.

public import DBus

/// `details` of `SegmentRecorded`. Nil is absent, or of a type that is not known.
public struct RecordingDetails: Hashable, Sendable {
    public struct Gap: ValueConvertible, Hashable, Sendable {
        public static let signature: Signature = "(dds)"

        public var position: Double
        public var duration: Double
        public var reason: String

        public init(position: Double, duration: Double, reason: String) {
            self.position = position
            self.duration = duration
            self.reason = reason
        }

        public init?(_ value: Value) {
            guard case .structure(let fields) = value,
                let (position, duration, reason) = try? fields.decoded(
                    as: Double.self, Double.self, String.self)
            else { return nil }
            self.init(position: position, duration: duration, reason: reason)
        }

        public var value: Value { .structure([Value(position), Value(duration), Value(reason)]) }
    }

    /// number of the block that it belongs to; absent if "record" is a file
    public var block: UInt64?
    /// where sound is missing although the recording goes on: the position in the file, and the length of
    /// the gap, both in seconds, and the reason: "paused", "route" (another microphone was opened), or
    /// a reason of interruption; at most 256
    public var gaps: [Gap]?
    /// its length in samples
    public var frames: UInt64?
    /// samples a second
    public var rate: UInt32?

    public init() {}

    public init(_ entries: [BusText: Value]) {
        block = entries["block"].flatMap { UInt64($0) }
        gaps = entries["gaps"].flatMap { [Gap]($0) }
        frames = entries["frames"].flatMap { UInt64($0) }
        rate = entries["rate"].flatMap { UInt32($0) }
    }

    public var entries: [BusText: Value] {
        var entries: [BusText: Value] = [:]
        entries["block"] = block?.value
        entries["gaps"] = gaps?.value
        entries["frames"] = frames?.value
        entries["rate"] = rate?.value
        return entries
    }
}
