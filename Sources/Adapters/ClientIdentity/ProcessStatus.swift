/// The fields of `/proc/PID/stat`: proc_pid_stat(5).
struct ProcessStatus {
    let parent: Int32
    /// The session's ID: the pid of its leader, setsid(2).
    let session: Int32
    /// Start time in clock ticks since boot.
    let startTime: UInt64

    init(_ stat: [UInt8]) throws(IdentityError) {
        // The second field is the command's name in parentheses, which may itself contain parentheses and spaces.
        guard let name = stat.lastIndex(of: UInt8(ascii: ")")) else {
            throw IdentityError(.malformed, "stat")
        }
        let fields = stat[(name + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
            .map { String(decoding: $0, as: UTF8.self) }
        // The first of these is field 3 of the manual page.
        guard fields.count > 19, let parent = Int32(fields[1]), let session = Int32(fields[3]),
            let startTime = UInt64(fields[19])
        else { throw IdentityError(.malformed, "stat") }
        self.parent = parent
        self.session = session
        self.startTime = startTime
    }
}

/// The users in `/proc/PID/status`: real, effective, saved, and that of the file system.
struct ProcessUsers {
    let uids: [UInt32]

    init(_ status: [UInt8]) throws(IdentityError) {
        let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "Uid:".utf8) }
        let uids = (line ?? []).split(separator: UInt8(ascii: "\t")).dropFirst()
            .map { UInt32(String(decoding: $0, as: UTF8.self)) }
        guard uids.count == 4, !uids.contains(nil) else { throw IdentityError(.malformed, "status") }
        self.uids = uids.compactMap(\.self)
    }
}
