import EventLoop
import Foundation
import Glibc

/// What another program wrote to standard output before it ended.
struct ProgramOutput {
    /// In bytes. The rest is not read.
    private static let limit = 64 << 10
    let text: String
    /// It exited with 0.
    let isGood: Bool

    init(_ arguments: [String]) throws {
        let pipe = Pipe()
        let (output, input) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        let process = try Subprocess(
            arguments,
            files: [1: .descriptor(input.fileDescriptor), 2: .path("/dev/null", flags: O_WRONLY)])
        try input.close()
        let bytes = try output.read(upToCount: Self.limit) ?? Data()
        try output.close()
        isGood = try process.wait() == 0
        text = String(decoding: bytes, as: UTF8.self)
    }
}
