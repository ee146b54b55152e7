import Glibc

/// The folder for the service's state: systemd's, else the user's own.
struct StateFolder {
    let path: String

    /// By systemd.exec(5), then the XDG Base Directory Specification.
    init(environment: [String: String]) throws(DaemonError) {
        if let folder = environment["STATE_DIRECTORY"], folder.hasPrefix("/") {
            path = folder
        } else if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            path = folder + "/dictation"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.local/state/dictation"
        } else {
            throw .noStateFolder
        }
    }

    /// Makes it, unless it exists. An error shows when a file is written there.
    func make() {
        var position = path.startIndex
        while position < path.endIndex {
            let next = path[path.index(after: position)...].firstIndex(of: "/") ?? path.endIndex
            mkdir(String(path[..<next]), 0o700)
            position = next
        }
    }
}
