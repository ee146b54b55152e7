internal import CLinux
internal import EventLoop
internal import Glibc

/// A process that restores the clipboard if this one is killed while it pastes.
@EventLoopActor
final class PasteGuard {
    private let program: Subprocess
    /// The other end of the process's standard output. It reads the end of file when this process has ended.
    private let end: Descriptor

    /// - Parameters:
    ///   - text: the clipboard's.
    ///   - command: calls ``RemoteDesktopRoute/restoreClipboard(_:environment:applicationID:tokenFile:)`` with its standard
    ///     input when its standard output, which it reads, ends.
    init?(restoring text: [UInt8], by command: [String], environment: [String: String]) {
        let number = dictation_linux_memory_file("dictation clipboard")
        guard number >= 0 else { return nil }
        let file = Descriptor(owning: number)
        guard pwrite(number, text, text.count, 0) == text.count, let (reading, end) = try? Descriptor.pipe(),
            let program = try? Subprocess(
                command, environment: environment,
                files: [
                    0: .descriptor(file.rawValue), 1: .descriptor(reading.rawValue),
                    2: .path("/dev/null", flags: O_WRONLY),
                ], isSessionLeader: true)
        else { return nil }
        self.program = program
        self.end = end
    }

    isolated deinit { program.killAndWait() }
}
