import Glibc

/// How root runs a program without the right to real-time priority, as users run theirs. It stays root's, so that programs
/// of root may use it.
public enum OrdinaryRights {
    public static func command(_ words: [String]) -> [String] {
        // Others have no such right to give up, nor the right to give it up.
        guard getuid() == 0 else { return words }
        return ["prlimit", "--rtprio=0", "--", "setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"]
            + words
    }
}
