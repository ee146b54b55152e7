/// Measurements of one event, for the daemon and, if it has the event, for `pw-record`. The tail is the 99th percentile
/// of at least 100 measurements, else the maximum.
struct Figure {
    let event: String
    private let ours: Samples
    private let theirs: Samples?

    /// The allowed difference to `pw-record`.
    static let ratio = 1.2
    /// The maximum tail in milliseconds without a comparison.
    static let limit = 100.0

    /// - Parameters:
    ///   - ours: milliseconds, or frames.
    ///   - theirs: the same for `pw-record`, if available.
    init(_ event: String, _ ours: [Double], besides theirs: [Double]? = nil) {
        self.event = event
        self.ours = Samples(ours)
        self.theirs = theirs.map { Samples($0) }
    }

    var reachesGoal: Bool {
        guard let theirs else { return ours.tail <= Self.limit }
        return ours.median <= Self.ratio * theirs.median
            && ours.tail <= Self.ratio * theirs.tail
    }

    func add(to table: inout Table) {
        table.add(
            event, "\(ours.count)", Self.text(ours.median), Self.text(ours.tail),
            theirs.map { Self.text($0.median) } ?? "", theirs.map { Self.text($0.tail) } ?? "",
            theirs.map { Self.text(ours.median / $0.median, digits: 2) } ?? "",
            theirs == nil ? "tail ≤ 100 ms" : "≤ 1.2 ×", reachesGoal ? "pass" : "MISS")
    }

    private static func text(_ number: Double, digits: Int = 1) -> String {
        guard number.isFinite else { return "-" }
        let scale = digits == 1 ? 10.0 : 100.0
        return "\((number * scale).rounded() / scale)"
    }
}

extension [Figure] {
    func print(_ title: String, unit: String) {
        guard !isEmpty else { return }
        var table = Table(
            title, columns: "event", "n", "median \(unit)", "tail \(unit)", "pw-record median",
            "pw-record tail", "ratio", "goal", "")
        for figure in self { figure.add(to: &table) }
        table.print()
    }
}
