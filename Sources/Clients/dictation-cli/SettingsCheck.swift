import EventLoop
import Foundation

/// The errors in the files of settings, which the service's program can read.
struct SettingsCheck {
    /// The service's program; nil if it is not installed with this one.
    private let program: String?

    /// Maximum length of the program's output, in bytes. The rest is not read.
    private static let outputLimit = 64 << 10
    /// Maximum number of errors that are shown.
    private static let errorLimit = 8

    init() {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folder = URL(filePath: own).deletingLastPathComponent()
        program = ["dictationd", "../libexec/dictationd"]
            .map { folder.appending(path: $0).standardized.path }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    func findings() -> [Finding] {
        guard let program else { return [] }
        do {
            let (succeeded, output) = try run([program, "--check"])
            if succeeded { return [.good("The settings are valid.")] }
            guard output.isEmpty else {
                return output.split(separator: "\n").prefix(Self.errorLimit).map { error in
                    .missing(
                        "The settings have an error: \(error)",
                        "Correct the file, or let this user read it. dictation.conf(5) describes its format.")
                }
            }
            return [failure("it failed")]
        } catch {
            return [failure("\(error)")]
        }
    }

    /// Waits for the end of a program, and returns what it wrote to standard output.
    private func run(_ arguments: [String]) throws -> (succeeded: Bool, output: String) {
        let pipe = Pipe()
        let (output, input) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        let process = try Subprocess(
            arguments,
            files: [1: .descriptor(input.fileDescriptor), 2: .path("/dev/null", flags: O_WRONLY)])
        try input.close()
        let bytes = try output.read(upToCount: Self.outputLimit) ?? Data()
        try output.close()
        return (try process.wait() == 0, String(decoding: bytes, as: UTF8.self))
    }

    private func failure(_ reason: String) -> Finding {
        .missing(
            "The settings cannot be checked by \(program ?? "dictationd"): \(reason).",
            "Install the same version of this program and of the service.")
    }
}
