/// How long a server lately took to answer a `ping`. Its connections share this.
struct PongTimes {
    private static let shortestTimeout = Duration.milliseconds(250)
    private static let kept = 8
    /// Timeout in mean times.
    private static let factor = 4
    /// What a longer time counts as, so that a server that was stopped is noticed as fast the next time.
    private static let longest = Duration.milliseconds(500)

    private var times: [Duration] = []

    mutating func add(_ time: Duration) {
        times.append(min(time, Self.longest))
        if times.count > Self.kept { times.removeFirst() }
    }

    /// A server that takes longer does not respond. Nil if it has never answered: not all servers do.
    var timeout: Duration? {
        guard !times.isEmpty else { return nil }
        return max(times.reduce(.zero, +) * Self.factor / times.count, Self.shortestTimeout)
    }
}
