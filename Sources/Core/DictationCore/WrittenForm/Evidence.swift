/// Reasons for and against a reading of some words, as a sum of weights. In doubt the words are written: they can be
/// corrected by eye, lost words cannot.
struct Evidence {
    private(set) var sum = 0
    /// Nil if nobody asked for the reasons.
    private(set) var reasons: [String]?

    init(explains: Bool) { reasons = explains ? [] : nil }

    var isEnough: Bool { sum > 0 }

    mutating func add(_ weight: Int, _ reason: StaticString) {
        guard weight != 0 else { return }
        sum += weight
        reasons?.append("\(weight > 0 ? "+" : "")\(weight) \(reason)")
    }
}
