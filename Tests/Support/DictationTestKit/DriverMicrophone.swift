import CDriverMicrophone
import EventLoop
import Glibc

/// A virtual microphone that emits exactly the samples it is given, as fast as it is told: it drives the
/// graph's cycles itself. It vanishes with this object.
public final class DriverMicrophone: Sendable {
    public enum Pace: Hashable, Sendable {
        /// A cycle every 20 ms, on time, whether or not the one before was finished.
        case realTime
        /// A cycle as soon as the one before is finished, at most this often.
        case cycle(every: Duration)

        /// As fast as this machine can.
        public static let fast = Pace.cycle(every: .microseconds(500))
        /// As people speak, or slower where this machine is too busy for that: nothing of it gets lost.
        public static let spoken = Pace.cycle(every: .milliseconds(20))
        /// Ten times as fast as time: a listener who is kept waiting for a second still hears all.
        public static let brisk = Pace.cycle(every: .milliseconds(2))
    }

    /// None once unplugged.
    private let handle: Lock<Handle?>

    /// Used by nobody but who holds the lock around it.
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

    /// Plugs in a microphone whose properties need not be text.
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

    /// Vanishes. Returns when its end of the connection is closed.
    public func unplug() {
        handle.withLock { handle in
            if let handle { driver_microphone_free(handle.pointer) }
            handle = nil
        }
    }

    /// Samples to emit, behind those given before. Where there are none it emits zeroes, or hangs; it has
    /// then emitted nothing after them if their number is a multiple of the graph's cycle, 320.
    public func play(_ samples: [Int16], thenHang: Bool = false) {
        use { driver_microphone_play($0, samples, samples.count, thenHang) }
    }

    /// Frames emitted of those given.
    public var played: Int { use { Int(driver_microphone_played($0)) } ?? 0 }

    /// All frames emitted, with the zeroes between.
    public var emitted: Int { use { Int(driver_microphone_emitted($0)) } ?? 0 }

    /// Cycles that never ended, as the graph was changed meanwhile: it stood still for up to a second each time.
    public var abandoned: Int { use { Int(driver_microphone_abandoned($0)) } ?? 0 }

    /// Frames emitted before the first that was given.
    public var lead: Int { use { Int(driver_microphone_lead($0)) } ?? 0 }

    /// Emits at another pace from now on.
    public func go(at pace: Pace) throws {
        let result = use { driver_microphone_set_pace($0, pace.nanoseconds, pace != .realTime) } ?? 0
        guard result >= 0 else { throw TestFailure("another pace: \(String(cString: strerror(-result)))") }
    }

    /// Delivers nothing any more, as a device does that hangs, or goes on.
    public func hang(_ isHung: Bool) { use { driver_microphone_set_hung($0, isHung) } }

    /// From now on every sample is the number of its frame by the machine's clock, from 1 to ``countLimit`` and again
    /// from 1, with this sign: of two that count, the samples tell which spoke, and when.
    public func count(_ sign: FloatingPointSign) { use { driver_microphone_count($0, sign == .minus) } }

    public static let countLimit = Int(DRIVER_MICROPHONE_COUNT)

    /// Its node shows other properties from now on, as a headset's does that changes its profile.
    public func change(_ properties: [String: String]) {
        use { handle in
            withNodeProperties(properties.map { (Array($0.utf8), Array($1.utf8)) }) {
                driver_microphone_change(handle, $0)
            }
        }
    }

    /// The graph's clock jumps by this many frames, as if cycles had been missed.
    public func skip(frames: Int) { use { driver_microphone_skip($0, UInt64(frames)) } }

    @discardableResult
    private func use<Result: Sendable>(_ body: @Sendable (OpaquePointer) -> Result) -> Result? {
        handle.withLock { $0.map { body($0.pointer) } }
    }
}

/// The properties as C takes them: keys and values in turn, then null.
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
