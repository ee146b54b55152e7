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

    /// The smallest value that `rank` percent of all do not exceed.
    func percentile(_ rank: Double) -> Double {
        let index = (rank / 100 * Double(sorted.count)).rounded(.up)
        return sorted[min(sorted.count - 1, max(0, Int(index) - 1))]
    }
}
