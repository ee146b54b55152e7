/// Measurements of one figure.
struct Samples {
    private var sorted: [Double]

    /// - Parameter values: at least one.
    init(_ values: [Double]) {
        sorted = values.sorted()
    }

    var count: Int { sorted.count }
    var median: Double { percentile(50) }
    var maximum: Double { sorted[sorted.count - 1] }

    /// The minimum number for a meaningful 99th percentile.
    static let enoughForPercentile99 = 100

    /// The 99th percentile, or the maximum of fewer than ``enoughForPercentile99``.
    var tail: Double { count >= Self.enoughForPercentile99 ? percentile(99) : maximum }

    /// The smallest value that `rank` percent of all do not exceed.
    func percentile(_ rank: Double) -> Double {
        let index = (rank / 100 * Double(sorted.count)).rounded(.up)
        return sorted[min(sorted.count - 1, max(0, Int(index) - 1))]
    }
}
