import CDriverMicrophone
import EventLoop
import Glibc

/// A virtual microphone that emits exactly the given samples, as fast as required: it drives the graph's cycles.
/// Removed with this object.
public final class DriverMicrophone: Sendable {
    public enum Pace: Hashable, Sendable {
        /// A cycle every 20 ms, on time, even if the one before was not finished.
        case realTime
        /// A cycle as soon as the one before is finished, at most this often.
        case cycle(every: Duration)

        /// As fast as possible.
        public static let fast = Pace.cycle(every: .microseconds(500))
        /// At the pace of real time, or slower on a busy machine, without losses.
        public static let spoken = Pace.cycle(every: .milliseconds(20))
        /// Ten times real time: a reader that is delayed by a second still gets everything.
        public static let brisk = Pace.cycle(every: .milliseconds(2))
    }

    /// Nil once unplugged.
    private let handle: Lock<Handle?>

    /// Proof: used only by the holder of the lock around it.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// Plugs in a microphone.
    /// - Parameter properties: of its node, such as `node.description` or `device.api`.
    public convenience init(
        _ name: String, of server: PrivatePipeWire, pace: Pace = .fast, _ properties: [String: String] = [:]
    ) throws {
        let properties = properties.merging(["node.name": name]) { $1 }
        try self.init(of: server, pace: pace, properties.map { (Array($0.utf8), Array($1.utf8)) })
    }

    /// Plugs in a microphone whose properties may be invalid UTF-8.
    public init(
        of server: PrivatePipeWire, pace: Pace = .fast, _ properties: [(key: [UInt8], value: [UInt8])]
    ) throws {
        let socket = try server.connect()
        let handle = withNodeProperties(properties) {
            driver_microphone_new(socket.rawValue, $0, pace.nanoseconds, pace != .realTime)
        }
        guard let handle else { throw TestFailure("a microphone: \(String(cString: strerror(errno)))") }
        self.handle = Lock(Handle(pointer: handle))
    }

    deinit { unplug() }

    /// Unplugs it. Returns when its end of the connection is closed.
    public func unplug() {
        handle.withLock { handle in
            if let handle { driver_microphone_free(handle.pointer) }
            handle = nil
        }
    }

    /// Queues samples to emit. Without samples it emits zeroes, or hangs; if their number is a multiple of the graph's
    /// cycle, 320, it has then emitted nothing after them.
    public func play(_ samples: [Int16], thenHang: Bool = false) {
        use { driver_microphone_play($0, samples, samples.count, thenHang) }
    }

    /// Plays this and waits for its end. Fails when nothing of it is emitted for ``timeout``.
    public func say(_ samples: [Int16]) async throws {
        let end = played + samples.count
        play(samples)
        var latest = played
        while latest < end {
            let before = latest
            try await eventually("more has been said") { played > before }
            latest = played
        }
    }

    /// From now on, silence takes five times as long as in real time, so that a test sees what silence ends.
    public func rest() { use { driver_microphone_rest($0) } }

    /// Emitted frames of the given ones.
    public var played: Int { use { Int(driver_microphone_played($0)) } ?? 0 }

    /// Emitted frames of the given ones that every reader has taken.
    public var taken: Int { use { Int(driver_microphone_taken($0)) } ?? 0 }

    /// All emitted frames, including zeroes.
    public var emitted: Int { use { Int(driver_microphone_emitted($0)) } ?? 0 }

    /// Cycles that never ended, because the graph changed: each stopped it for up to ``cycleTimeout``.
    public var abandoned: Int { use { Int(driver_microphone_abandoned($0)) } ?? 0 }

    /// For how long it waits for the end of a cycle.
    public static let cycleTimeout = Duration.nanoseconds(DRIVER_MICROPHONE_CYCLE_TIMEOUT)

    /// Frames before the first given one.
    public var lead: Int { use { Int(driver_microphone_lead($0)) } ?? 0 }

    /// Changes the pace.
    public func go(at pace: Pace) throws {
        let result = use { driver_microphone_set_pace($0, pace.nanoseconds, pace != .realTime) } ?? 0
        guard result >= 0 else { throw TestFailure("another pace: \(String(cString: strerror(-result)))") }
    }

    /// Hangs like a broken device, or continues.
    public func hang(_ isHung: Bool) { use { driver_microphone_set_hung($0, isHung) } }

    /// From now on every sample is the number of its frame on the machine's clock, from 1 to ``countLimit`` and again
    /// from 1, with this sign. The samples of two such microphones tell which one was captured, and when.
    public func count(_ sign: FloatingPointSign) { use { driver_microphone_count($0, sign == .minus) } }

    public static let countLimit = Int(DRIVER_MICROPHONE_COUNT)

    /// Changes its node's properties, like a headset that changes its profile.
    public func change(_ properties: [String: String]) {
        use { handle in
            withNodeProperties(properties.map { (Array($0.utf8), Array($1.utf8)) }) {
                driver_microphone_change(handle, $0)
            }
        }
    }

    /// The graph's clock jumps by this many frames, as if cycles had been missed.
    public func skip(frames: Int) { use { driver_microphone_skip($0, UInt64(frames)) } }

    /// Continues a stopped process once this many more frames were emitted, however busy other threads are.
    public func resumeProcess(_ process: Int32, afterFrames frames: Int) {
        use { driver_microphone_continue($0, process, UInt64(frames)) }
    }

    @discardableResult
    private func use<Result: Sendable>(_ body: @Sendable (OpaquePointer) -> Result) -> Result? {
        handle.withLock { $0.map { body($0.pointer) } }
    }
}

/// The properties for C: alternating keys and values, then null.
func withNodeProperties<Result>(
    _ properties: [(key: [UInt8], value: [UInt8])],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let strings = properties.flatMap { [$0.key, $0.value] }.map { bytes in
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
        for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
        copy[bytes.count] = 0
        return copy
    }
    let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: strings.count + 1)
    for (index, string) in strings.enumerated() { list[index] = UnsafePointer(string) }
    list[strings.count] = nil
    defer {
        for string in strings { string.deallocate() }
        list.deallocate()
    }
    return body(list)
}

extension DriverMicrophone.Pace {
    fileprivate var nanoseconds: Int64 {
        switch self {
        case .realTime: 20_000_000
        case .cycle(let period): Int64(period / .nanoseconds(1))
        }
    }
}
