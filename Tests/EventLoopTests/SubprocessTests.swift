import EventLoop
import Foundation
import Glibc
import Testing

@Suite struct SubprocessTests {
    @Test func inheritsNoBlockedOrIgnoredSignals() throws {
        signal(SIGPIPE, SIG_IGN)
        let (reading, writing) = try Descriptor.pipe()
        var all = sigset_t()
        var former = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &former)
        let started = Result { () throws(EventLoopError) in
            try Subprocess(["cat", "/proc/self/status"], files: [1: .descriptor(writing.rawValue)])
        }
        pthread_sigmask(SIG_SETMASK, &former, nil)
        let program = try started.get()
        #expect(try program.wait() == 0)
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = read(reading.rawValue, &bytes, bytes.count)
        let status = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(try signals("SigBlk", in: status) == 0)
        #expect(try signals("SigIgn", in: status) == 0)
    }

    @Test func reportsThatAProgramDoesNotExist() {
        #expect(throws: EventLoopError(call: "no-such-program", code: ENOENT)) {
            try Subprocess(["no-such-program"])
        }
        #expect(throws: EventLoopError.self) { try Subprocess([]) }
    }

    /// A set of signals in proc_pid_status(5), one bit for each, without 32 and 33: glibc uses these itself and does not
    /// change their actions.
    private func signals(_ name: String, in status: String) throws -> UInt64 {
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):\t") })
        return try #require(UInt64(line.dropFirst(name.count + 2), radix: 16)) & ~0x1_8000_0000
    }
}
