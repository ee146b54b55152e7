internal import EventLoop
internal import Glibc

/// A process that sets the user's engine again if this one is killed: IBus forgets the global engine when it loses a
/// connection with engines.
@EventLoopActor
final class EngineGuard {
    let engine: String
    private let program: Subprocess
    /// A pipe to the process. It reads the end of file when this process has ended.
    private let input: Descriptor

    /// - Parameters:
    ///   - command: calls ``IBusRoute/restore(_:after:environment:)`` when its standard input ends.
    ///   - environment: says where IBus is.
    init(
        restoring engine: String, by command: [String], environment: [String: String]
    ) throws(EventLoopError) {
        self.engine = engine
        let (reading, input) = try Descriptor.pipe()
        self.input = input
        // As the leader of a session it gets no signals to the terminal's process group.
        program = try Subprocess(
            command, environment: environment,
            files: [
                0: .descriptor(reading.rawValue), 1: .path("/dev/null", flags: O_WRONLY),
                2: .path("/dev/null", flags: O_WRONLY),
            ], isSessionLeader: true)
    }

    isolated deinit { program.killAndWait() }
}
