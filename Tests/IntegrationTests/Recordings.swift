import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

/// Samples of which no two neighbours repeat soon, and none is zero.
func recordedSound(_ count: Int, from first: Int = 1) -> [Int16] {
    (0..<count).map { Int16(1 + (first + $0 &* 7919) % 4999) }
}

/// They are in the recording, one after the other.
func expectSamples(_ wanted: [Int16], in recording: [Int16]) throws {
    let head = Array(wanted.prefix(16))
    let start = recording.indices.first { index in
        recording[index] == head[0] && recording[index...].starts(with: head)
    }
    let position = try #require(start, "its beginning is not in the recording of \(recording.count)")
    let found = Array(recording[position...].prefix(wanted.count))
    // Not as one expression: a failure would print all samples.
    let isSame = found == wanted
    #expect(isSame, "\(found.count) of \(wanted.count), from \(position)")
}

/// Where the recording has a block, by the details of its Final.
func recordedStretch(_ details: [BusText: Value]) -> (start: Double, duration: Double)? {
    guard case .structure(let fields)? = details[FinalKey.recorded], fields.count == 2,
        let start = Double(fields[0]), let duration = Double(fields[1])
    else { return nil }
    return (start, duration)
}

/// A signal SegmentRecorded.
struct Recorded {
    var name: String
    var start: Double
    var details: [BusText: Value]

    var frames: Int { details[RecordingKey.frames].flatMap { UInt64($0) }.map { Int($0) } ?? -1 }
    var block: UInt64? { details[RecordingKey.block].flatMap { UInt64($0) } }
}

extension TestClient {
    /// Waits for the error that a recording cannot be written.
    func waitForFailedWrite() async throws {
        try await signal("the error") { signal -> Bool? in
            guard case .error(_, let name, _, _) = signal, name.hasSuffix("FileWrite") else { return nil }
            return true
        }
    }

    var segments: [Recorded] {
        signals.compactMap { signal in
            guard case .segmentRecorded(_, let name, let start, _, let details) = signal else { return nil }
            return Recorded(name: name, start: start, details: details)
        }
    }

    /// All of them, after Stop.
    func recordedSegments() async throws -> [Recorded] {
        try await signal("Stopped") { if case .stopped = $0 { true } else { nil } }
        return segments
    }

    func refusal(_ options: [BusText: Value]) async -> DBusError? {
        do {
            _ = try await dictation.start(options: options)
            return nil
        } catch {
            return error as? DBusError
        }
    }
}

extension TemporaryDirectory {
    var descriptor: Value {
        get throws {
            let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard opened >= 0 else { throw TestFailure(path) }
            return .descriptor(Descriptor(owning: opened))
        }
    }
}
