/// Rows of "reference, ours, target, reached or not".
struct Bar {
    private var table: Table
    private(set) var missed = 0

    init(_ title: String) {
        table = Table(title, columns: "figure", "reference", "ours", "target", "")
    }

    mutating func add(
        _ figure: String, reference: String, _ ours: Double, atMost target: Double, unit: String,
        decimals: Int = 1
    ) {
        let isReached = ours <= target
        if !isReached { missed += 1 }
        table.add(
            figure, reference, ours.written(decimals, unit), "≤ \(target.written(decimals, unit))",
            isReached ? "reached" : "missed")
    }

    mutating func add(
        _ figure: String, reference: String, _ ours: Double, atLeast target: Double, unit: String
    ) {
        let isReached = ours >= target
        if !isReached { missed += 1 }
        table.add(
            figure, reference, ours.written(1, unit), "≥ \(target.written(1, unit))",
            isReached ? "reached" : "missed")
    }

    /// A figure without a target.
    mutating func add(_ figure: String, reference: String, _ ours: String) {
        table.add(figure, reference, ours, "", "")
    }

    func print() { table.print() }
}

extension Double {
    /// With this many decimals and the unit.
    func written(_ decimals: Int, _ unit: String = "") -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let rounded = Int((abs(self) * scale).rounded())
        let fraction = String(rounded % Int(scale))
        let padded = String(repeating: "0", count: Swift.max(0, decimals - fraction.count)) + fraction
        let number = "\(self < 0 ? "-" : "")\(rounded / Int(scale))" + (decimals > 0 ? ".\(padded)" : "")
        return unit.isEmpty ? number : "\(number) \(unit)"
    }
}
