import DictationCore
import DictationTestKit
import EventLoop
import Glibc

@testable import RecordingFiles

/// A writer and its events.
final class Written: Sendable {
    private let writer: RecordingWriter
    private let told: Log

    private final class Log: Sendable {
        let events = Lock<[RecordingWriter.Event]>([])
    }

    init(
        _ descriptor: Descriptor, takesFolder: Bool = true,
        queueLimit: Int = RecordingWriter.queueLimit
    ) throws {
        let told = Log()
        self.told = told
        writer = try RecordingWriter(
            descriptor, takesFolder: takesFolder, rate: 16_000, queueLimit: queueLimit
        ) { event in
            told.events.withLock { $0.append(event) }
        }
    }

    convenience init(_ path: String, _ flags: Int32) throws {
        try self.init(Self.open(path, flags))
    }

    static func open(_ path: String, _ flags: Int32) throws -> Descriptor {
        let opened = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw TestFailure("\(path): \(String(cString: strerror(errno)))") }
        return Descriptor(owning: opened)
    }

    func perform(_ commands: RecordingWriter.Command...) {
        for command in commands { writer.perform(command) }
    }

    var events: [RecordingWriter.Event] { told.events.withLock { $0 } }

    var isAccepted: Bool { events.contains { if case .accepted = $0 { true } else { false } } }

    var failures: [RecordingError] {
        events.compactMap { if case .failed(let error, _) = $0 { error } else { nil } }
    }

    /// Commands that the thread has not taken yet.
    var waiting: Int { writer.waiting }

    /// Ends the recording and returns all events.
    func finish() async throws -> [RecordingWriter.Event] {
        writer.perform(.finish)
        try await eventually("the writer finished") { events.last == .finished }
        return events
    }

    /// The name of the first finished file.
    func nextClosed() async throws -> String {
        var name: String?
        try await eventually("a file is finished") {
            name =
                events.lazy.compactMap { event in
                    if case .closed(let segment) = event { segment.name } else { nil }
                }.first
            return name != nil
        }
        guard let name else { throw TestFailure("no file") }
        return name
    }

    func refusal() async throws -> RecordingError {
        var refusal: RecordingError?
        try await eventually("the descriptor is refused") {
            if case .refused(let error)? = events.first { refusal = error }
            return refusal != nil
        }
        guard let refusal else { throw TestFailure("accepted") }
        return refusal
    }
}

let O_PATH: Int32 = 0o10_000_000
