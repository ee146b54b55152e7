import Foundation

/// How long things took, in milliseconds.
public struct Delays: CustomStringConvertible {
    private let sorted: [Double]

    public init(milliseconds: [Double]) {
        sorted = milliseconds.sorted()
    }

    /// Now, in microseconds since 1970, as the windows of tests tell it.
    public static var now: Int { Int(Date().timeIntervalSince1970 * 1_000_000) }

    public var median: Double { sorted.isEmpty ? .infinity : sorted[sorted.count / 2] }
    /// 95 of 100 took no longer.
    public var late: Double { sorted.isEmpty ? .infinity : sorted[sorted.count * 95 / 100] }

    public var description: String {
        "\(sorted.count) partials, median \(median) ms, 95 of 100 within \(late) ms, longest \(sorted.last ?? 0) ms"
    }
}
