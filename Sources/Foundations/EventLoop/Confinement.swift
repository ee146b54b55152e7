import CLinux
import Glibc

/// What this process gives up.
public enum Confinement {
    /// From now on this process has no system calls that start programs, trace or read other processes, or change namespaces,
    /// in any thread. That cannot be undone. The user's files stay in reach, also `/proc/PID/mem` where
    /// `kernel.yama.ptrace_scope` is 0.
    /// - Parameter programs: those that ``Subprocess`` can still start, with three open files and the variables that say where
    ///   the display is. Another process does that, which has no part in what this one reads.
    public static func forbidPrograms(except programs: [AllowedProgram] = []) throws(EventLoopError) {
        if !programs.isEmpty { try startLauncher(of: programs) }
        if dictation_linux_forbid_programs() != 0 { throw EventLoopError(call: "seccomp", code: errno) }
    }

    /// A program that may be started.
    public struct AllowedProgram: Sendable {
        let words: [String]

        /// - Parameter arguments: all that it may get, in any order and number.
        public init(_ program: String, withAnyOf arguments: Set<String>) {
            words = [program] + arguments.sorted()
        }

        /// - Parameter arguments: its first ones. The rest is free.
        public init(_ program: String, beginningWith arguments: [String]) {
            words = [program] + arguments + ["*"]
        }
    }

    private static func startLauncher(of programs: [AllowedProgram]) throws(EventLoopError) {
        var list: [UnsafePointer<CChar>?] = []
        for program in programs { list += program.words.map { UnsafePointer(strdup($0)) } + [nil] }
        list.append(nil)
        defer { for word in list { free(UnsafeMutablePointer(mutating: word)) } }
        if dictation_linux_start_launcher(list) != 0 { throw EventLoopError(call: "clone", code: errno) }
    }
}
