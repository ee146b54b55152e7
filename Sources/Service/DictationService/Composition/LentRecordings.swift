import DBus
import DictationCore
import EventLoop
import RecordingFiles

/// Files of recordings in a user's folder, made and removed by the user's agent.
struct LentRecordings: RecordingLender {
    let agents: AgentRegistry
    let uid: UInt32

    /// Maximum number of bytes of an agent's error in messages.
    private static let messageLimit = 200

    /// Bytes of a file's name: the kernel's `NAME_MAX`.
    private static let nameLimit = 255

    func check(_ folder: Descriptor) throws(RecordingError) {
        try wait { [agents, uid] in try await agents.checkRecordingFolder(folder, ofUser: uid) }
    }

    func create(
        in folder: Descriptor, prefix: String, number: Int
    ) throws(RecordingError) -> (name: String, file: Descriptor) {
        try wait { [agents, uid] in
            let opened = try await agents.openRecording(
                in: folder, prefix: prefix, number: number, ofUser: uid)
            guard opened.name.utf8.count <= Self.nameLimit else {
                throw DBusError.limitsExceeded("The name of the file has more than \(Self.nameLimit) bytes.")
            }
            return opened
        }
    }

    func remove(_ file: RecordingFile, in folder: Descriptor) throws(RecordingError) {
        try wait { [agents, uid] in
            try await agents.removeRecording(file, in: folder, ofUser: uid)
        }
    }

    /// Blocks this thread, a recording's own, until the agent has replied or its timeout is over.
    private func wait<Output: Sendable>(
        for answer: @escaping @Sendable () async throws -> Output
    ) throws(RecordingError) -> Output {
        let awaited = AwaitedAnswer<Output>()
        Task {
            let result: Result<Output, any Error>
            do {
                result = .success(try await answer())
            } catch {
                result = .failure(error)
            }
            awaited.settle(result)
        }
        do {
            return try awaited.wait().get()
        } catch {
            // The length of the agent's text is not limited.
            let reason = (error as? DBusError)?.message ?? "\(error)"
            let text = String(decoding: reason.utf8.prefix(Self.messageLimit), as: UTF8.self)
            throw RecordingError(.write, "The user's agent has failed: \(text)")
        }
    }
}

/// A result that a thread waits for.
private final class AwaitedAnswer<Output: Sendable>: Sendable {
    private let result = Lock<Result<Output, any Error>?>(nil)
    private let signal = WakeSignal()

    func settle(_ result: Result<Output, any Error>) {
        self.result.withLock { $0 = result }
        signal.send()
    }

    func wait() -> Result<Output, any Error> {
        while true {
            if let result = result.withLock({ $0 }) { return result }
            signal.wait()
        }
    }
}
