import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop

/// `pw-record`, recording beside the daemon: 16 bit, mono, 16 kHz, in cycles as short as the daemon's, into a pipe.
final class Recorder: Sendable {
    let started: Instant
    let chunks: Timeline<CountReader.Chunk>
    private let process: ChildProcess

    /// Its standard output is unbuffered (by `stdbuf`); otherwise 128 ms of sound would come at once.
    private static let unbuffered = ["LD_PRELOAD": "/usr/libexec/coreutils/libstdbuf.so", "_STDBUF_O": "0"]

    init(on rig: Rig, times loop: EventLoop) throws {
        let chunks = Timeline<CountReader.Chunk>(on: loop)
        let reader = Lock(CountReader())
        self.chunks = chunks
        started = .now
        process = try ChildProcess(
            ["pw-record", "--rate", "16000", "--channels", "1", "--format", "s16", "--latency", "320", "-"],
            environment: rig.environment, adding: Self.unbuffered,
            output: { bytes in
                let samples = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
                    Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
                }
                chunks.note(reader.withLock { $0.read(samples) })
            })
    }

    /// When its first sound came.
    func flows() async throws -> Instant {
        do {
            return try await chunks.time(of: "pw-record hears", since: started) { _ in true }
        } catch {
            throw TestFailure("\(error): \(process.text(of: .errors))")
        }
    }

    func end() async throws {
        process.kill()
        _ = try await process.exitStatus()
    }
}
