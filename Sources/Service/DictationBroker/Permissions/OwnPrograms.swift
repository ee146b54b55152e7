import EventLoop

/// The programs of this service that type for their user, who has called them: dictation-cli, and dictation-worker for the
/// desktop's shortcut. What they ask about is dictation; about typing alone nobody is asked.
enum OwnPrograms {
    /// Their paths: beside this program, or in the `bin` of its prefix.
    static func paths() throws(EventLoopError) -> Set<String> {
        let folders = try Subprocess.ownProgram().split(separator: "/").dropLast()
        func path(_ parts: some Sequence<Substring>, _ name: String) -> String {
            "/" + (parts.map(String.init) + [name]).joined(separator: "/")
        }
        var paths: Set = [path(folders, "dictation-worker"), path(folders, "dictation-cli")]
        for count in 1...2 where folders.count >= count {
            paths.insert(path(Array(folders.dropLast(count)) + ["bin"], "dictation-cli"))
        }
        return paths
    }
}
