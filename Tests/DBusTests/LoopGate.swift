import EventLoop
import Glibc

/// Holds up the event loop until it is opened or released.
final class LoopGate: Sendable {
    private let writing: Lock<Descriptor?>

    /// Returns when the loop stands still.
    init() async throws {
        let ends = try Descriptor.pipe()
        writing = Lock(ends.writing)
        await withCheckedContinuation { closed in
            EventLoopActor.execute { [reading = ends.reading] in
                closed.resume()
                var byte: UInt8 = 0
                read(reading.rawValue, &byte, 1)
            }
        }
    }

    func open() { writing.withLock { $0 = nil } }
}
