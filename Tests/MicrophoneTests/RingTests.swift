import CPipeWire
import DictationTestKit
import Dispatch
import Glibc
import Testing

@Suite struct RingTests {
    @Test(arguments: [1, 2, 3, 64, 1000])
    func readsWhatWasWrittenInOrder(_ frames: Int) throws {
        let ring = try Ring(frames: frames)
        var written = 0
        var read: [Int16] = []
        for round in 0..<500 {
            let samples = (0..<(round % (frames + 2))).map { Int16(truncatingIfNeeded: written + $0) }
            written += ring.write(samples)
            read += ring.read(upTo: round % 7 * frames / 3 + 1)
        }
        read += ring.read(upTo: .max)
        let isTheSame = read == (0..<written).map { Int16(truncatingIfNeeded: $0) }
        #expect(isTheSame)
    }

    /// PipeWire's data thread must not wait for memory.
    @Test func theFirstWritesToARingCauseNoPageFaults() throws {
        let frames = 1 << 20
        let ring = try Ring(frames: frames)
        let samples = [Int16](repeating: 1, count: 320)
        func faults() -> Int {
            // RUSAGE_THREAD, which Glibc declares with _GNU_SOURCE alone.
            let threadUsage: __rusage_who_t = 1
            var usage = rusage()
            getrusage(threadUsage, &usage)
            return usage.ru_minflt
        }
        let before = faults()
        for _ in 0..<frames / samples.count { _ = ring.write(samples) }
        // All of the ring has 512 pages. A sanitizer has pages of its own for each, which are new.
        #expect(isSanitized || faults() - before < 50)
    }

    @Test func countsWhatDoesNotFit() throws {
        let ring = try Ring(frames: 100)
        #expect(ring.write([Int16](repeating: 1, count: 100)) == 100)
        #expect(ring.write([Int16](repeating: 2, count: 100)) == 28)
        #expect(ring.write([3]) == 0)
        #expect(ring.takeDropped() == 73)
        #expect(ring.takeDropped() == 0)
        #expect(ring.read(upTo: .max).count == 128)
        #expect(ring.write([4]) == 1)
        #expect(ring.read(upTo: .max) == [4])
    }

    @Test func oneThreadMayWriteWhileAnotherReads() throws {
        let ring = try Ring(frames: 256)
        let total = 200_000
        let writer = DispatchQueue(label: "writer")
        writer.async {
            var written = 0
            while written < total {
                let count = min(97, total - written)
                let samples = (0..<count).map { Int16(truncatingIfNeeded: written + $0) }
                written += ring.write(samples)
            }
        }
        var read = 0
        while read < total {
            for sample in ring.read(upTo: 61) {
                guard sample == Int16(truncatingIfNeeded: read) else {
                    Issue.record("frame \(read) is \(sample)")
                    return
                }
                read += 1
            }
        }
        writer.sync {}
        #expect(ring.read(upTo: .max).isEmpty)
    }
}

/// Proof: one thread writes and one reads, as the C functions require.
private final class Ring: @unchecked Sendable {
    private let handle: OpaquePointer

    init(frames: Int) throws { handle = try #require(dictation_ring_new(frames)) }

    deinit { dictation_ring_free(handle) }

    func write(_ samples: [Int16]) -> Int { dictation_ring_write(handle, samples, samples.count) }

    func read(upTo count: Int) -> [Int16] {
        let count = min(count, dictation_ring_readable(handle))
        var samples = [Int16](repeating: 0, count: count)
        samples.removeLast(count - dictation_ring_read(handle, &samples, count))
        return samples
    }

    func takeDropped() -> Int { Int(dictation_ring_take_dropped(handle)) }
}
