// Written by packaging/generate from dbus/*.xml; change those instead.

public import DBus

/// `details` of `Level`. Nil is absent, or of a type that is not known.
public struct LevelDetails: Hashable, Sendable {
    public struct Extremes: ValueConvertible, Hashable, Sendable {
        public static let signature: Signature = "(dd)"

        public var minimum: Double
        public var maximum: Double

        public init(minimum: Double, maximum: Double) {
            self.minimum = minimum
            self.maximum = maximum
        }

        public init?(_ value: Value) {
            guard case .structure(let fields) = value,
                let (minimum, maximum) = try? fields.decoded(as: Double.self, Double.self)
            else { return nil }
            self.init(minimum: minimum, maximum: maximum)
        }

        public var value: Value { .structure([Value(minimum), Value(maximum)]) }
    }

    /// the minimum and the maximum, -1 to 1, of each tenth of the 50 ms; only with levels "waveform"
    public var waveform: [Extremes]?

    public init() {}

    public init(_ entries: [BusText: Value]) {
        waveform = entries["waveform"].flatMap { [Extremes]($0) }
    }

    public var entries: [BusText: Value] {
        var entries: [BusText: Value] = [:]
        entries["waveform"] = waveform?.value
        return entries
    }
}
