import DBus
import EventLoop
import RecordingFiles

/// Makes and removes the files of recordings for the service, with the user's rights.
@EventLoopActor
final class UserRecordings {
    /// Calls whose file system has not answered.
    private var working = 0

    private static let limit = 8
    /// Shorter than the service's, which gives up an agent that does not reply.
    private static let timeout = Duration.seconds(3)

    /// Whether files can be made in the folder. Makes none.
    func check(_ folder: Descriptor) async throws {
        try await run { () throws(RecordingError) in try RecordingFolder(folder, prefix: "").check() }
    }

    /// Makes a file in the folder. A file that is made after the timeout is removed.
    func open(
        in folder: Descriptor, prefix: BusText, number: UInt64
    ) async throws -> (name: String, file: Descriptor) {
        let prefix = prefix.string
        guard RecordingName.isPrefix(prefix) else {
            throw DBusError.invalidArgs("The prefix is not that of a recording.")
        }
        let place = RecordingFolder(folder, prefix: prefix)
        // There is no caller left to report an error of this to, or there is an earlier error.
        let undo: @Sendable ((name: String, file: Descriptor)) -> Void = { made in
            if let file = try? RecordingFile(made.name, made.file) { try? place.remove(file) }
        }
        return try await run(
            { () throws(RecordingError) in
                let made = try place.create(Int(clamping: number))
                do throws(RecordingError) {
                    try place.sync()
                } catch {
                    undo(made)
                    throw error
                }
                return made
            }, undo: undo)
    }

    func remove(_ file: RecordingFile, in folder: Descriptor) async throws {
        guard RecordingName.isName(file.name) else {
            throw DBusError.invalidArgs("The name is not that of a recording.")
        }
        try await run { () throws(RecordingError) in
            try RecordingFolder(folder, prefix: "").remove(file)
        }
    }

    /// Runs `body` on its own thread, because file systems may block.
    /// - Parameter undo: called with a result that comes after the timeout.
    private func run<Output: Sendable>(
        _ body: @escaping @Sendable () throws(RecordingError) -> Output,
        undo: @escaping @Sendable (Output) -> Void = { _ in }
    ) async throws -> Output {
        guard working < Self.limit else {
            throw DBusError.limitsExceeded("The file systems of recordings do not answer.")
        }
        working += 1
        let first = FirstResult<Output>()
        let deadline = EventLoopActor.schedule(after: Self.timeout) {
            let error = DBusError.failed("The folder's file system did not answer within \(Self.timeout).")
            _ = first.settle(.failure(error))
        }
        defer { deadline.cancel() }
        do throws(EventLoopError) {
            try OwnThread.start("recording") {
                let result: Result<Output, any Error>
                do throws(RecordingError) {
                    result = .success(try body())
                } catch {
                    result = .failure(error)
                }
                if !first.settle(result), case .success(let output) = result { undo(output) }
                EventLoopActor.execute { [weak self] in self?.working -= 1 }
            }
        } catch {
            working -= 1
            throw error
        }
        return try await first.value
    }
}
