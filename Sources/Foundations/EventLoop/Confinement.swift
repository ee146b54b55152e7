import CLinux
import Glibc

/// What this process gives up.
public enum Confinement {
    /// From now on this process cannot start programs, trace or read other processes, or change namespaces, whatever its threads
    /// do. That cannot be undone.
    public static func forbidPrograms() throws(EventLoopError) {
        if dictation_linux_forbid_programs() != 0 { throw EventLoopError(call: "seccomp", code: errno) }
    }
}
