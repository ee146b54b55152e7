import EventLoop
import Glibc
import Synchronization

/// Signals as an asynchronous sequence.
final class Signals {
    private let watch: EventLoop.Watch
    private let readEnd: Descriptor
    private let writeEnd: Descriptor

    /// A signal handler may only do what is async-signal-safe: it writes the signal's number here.
    private static let pipe = Atomic<Int32>(-1)

    /// Replaces the parent's handlers. Scripts ignore SIGINT in programs in the background.
    init(_ numbers: [Int32], on loop: EventLoop, _ handler: @escaping @Sendable (Int32) -> Void) throws {
        let (readEnd, writeEnd) = try Descriptor.pipe()
        self.readEnd = readEnd
        self.writeEnd = writeEnd
        watch = try loop.watch(readEnd.rawValue, for: .readable) { _ in
            var number: UInt8 = 0
            if read(readEnd.rawValue, &number, 1) == 1 { handler(Int32(number)) }
        }
        Self.pipe.store(writeEnd.rawValue, ordering: .relaxed)
        for number in numbers {
            signal(number) { number in
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Signals.pipe.load(ordering: .relaxed), &byte, 1)
                errno = saved
            }
        }
    }

    deinit { watch.cancel() }
}
