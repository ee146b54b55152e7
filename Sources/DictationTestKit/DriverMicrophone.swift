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
    }

    public let name: String
    /// - Proof: the microphone is guarded by a lock of its own and freed once, in `deinit`.
    private nonisolated(unsafe) let handle: OpaquePointer

    /// Plugs in a microphone.
    /// - Parameter properties: of its node, such as `node.description` or `device.api`.
    public init(
        _ name: String, of server: PrivatePipeWire, pace: Pace = .fast, _ properties: [String: String] = [:]
    ) throws {
        self.name = name
        let socket = try server.connect()
        let pairs = properties.merging(["node.name": name]) { $1 }.flatMap { [$0, $1] }
        let strings = pairs.map { strdup($0) }
        defer { for string in strings { free(string) } }
        let handle = (strings + [nil]).map { UnsafePointer($0) }.withUnsafeBufferPointer { properties in
            properties.baseAddress.flatMap {
                driver_microphone_new(socket.rawValue, $0, pace.nanoseconds, pace != .realTime)
            }
        }
        guard let handle else { throw TestFailure("microphone \(name): \(String(cString: strerror(errno)))") }
        self.handle = handle
    }

    deinit { driver_microphone_free(handle) }

    /// Samples to emit, behind those given before; zeroes where there are none.
    public func play(_ samples: [Int16]) { driver_microphone_play(handle, samples, samples.count) }

    /// Frames emitted of those given.
    public var played: Int { Int(driver_microphone_played(handle)) }

    /// All frames emitted, with the zeroes between.
    public var emitted: Int { Int(driver_microphone_emitted(handle)) }

    /// Delivers nothing any more, as a device does that hangs, or goes on.
    public func hang(_ isHung: Bool) { driver_microphone_set_hung(handle, isHung) }

    /// The graph's clock jumps by this many frames, as if cycles had been missed.
    public func skip(frames: Int) { driver_microphone_skip(handle, UInt64(frames)) }
}

extension DriverMicrophone.Pace {
    fileprivate var nanoseconds: Int64 {
        switch self {
        case .realTime: 20_000_000
        case .cycle(let period): Int64(period / .nanoseconds(1))
        }
    }
}
