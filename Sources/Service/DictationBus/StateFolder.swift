import Glibc

/// The folder for the service's state: systemd's, else the user's own.
package struct StateFolder {
    package let path: String

    /// By systemd.exec(5), then the XDG Base Directory Specification.
    package init(environment: [String: String]) throws(StateFolderError) {
        if let folder = environment["STATE_DIRECTORY"], folder.hasPrefix("/") {
            path = folder
        } else if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            path = folder + "/dictation"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.local/state/dictation"
        } else {
            throw StateFolderError()
        }
    }

    /// Makes it, unless it exists. An error shows when a file is written there.
    package func make() {
        var position = path.startIndex
        while position < path.endIndex {
            let next = path[path.index(after: position)...].firstIndex(of: "/") ?? path.endIndex
            mkdir(String(path[..<next]), 0o700)
            position = next
        }
    }
}

package struct StateFolderError: Error, CustomStringConvertible {
    package var description: String {
        "there is no folder for the service's state: set HOME, XDG_STATE_HOME or STATE_DIRECTORY"
    }
}
