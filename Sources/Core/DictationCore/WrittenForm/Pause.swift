/// Silence after a word.
public enum Pause: UInt8, Hashable, Comparable, Sendable {
    case none
    /// Between the parts of a number, a date or an address. It separates everything else.
    case short
    /// No rule reads across it.
    case long

    /// Seconds of silence that a short pause has at least.
    public static let shortest = 0.2
    /// Seconds of silence that close a number, a date or an address.
    public static let closing = 0.7

    public init(seconds: Double) {
        self = seconds >= Self.closing ? .long : seconds >= Self.shortest ? .short : .none
    }

    /// A pause in the notation of cases and of `dictation-cli format`: `<p:300>` for 300 ms.
    public init?(notation: some StringProtocol) {
        guard notation.hasPrefix("<p:"), notation.hasSuffix(">"), notation.utf8.count < 16,
            let milliseconds = Int(notation.dropFirst(3).dropLast()), milliseconds >= 0
        else { return nil }
        self.init(seconds: Double(milliseconds) / 1000)
    }

    public static func < (one: Pause, other: Pause) -> Bool { one.rawValue < other.rawValue }
}
