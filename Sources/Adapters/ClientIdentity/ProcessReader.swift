import DictationCore
import EventLoop
import Glibc

/// Reads a process's identity from `/proc`. The result counts only if the process is alive afterwards.
struct ProcessReader: Sendable {
    /// The path of `/proc`.
    let proc: Folder
    /// The path of the unified hierarchy of control groups, if there is one.
    let controlGroups: Folder?
    /// The path of the device that servers of file systems have open.
    var servedDevice = "/dev/fuse"

    /// Limit of `status` and `cgroup` in bytes. Real ones have less than two thousand.
    private static let limit = 65536

    /// - Parameter uid: the user that the process must belong to.
    func identity(of pid: Int32, uid: UInt32) throws(IdentityError) -> Identity {
        let process = try proc.folder("\(pid)")
        // Before, so that no other user's files are read; after, because a set-uid program changes the process's user.
        try checkUser(uid, of: process)
        let (kind, id) = try kindAndID(of: process, pid: pid, uid: uid)
        try checkUser(uid, of: process)
        return Identity(uid: uid, kind: kind, id: id)
    }

    private func kindAndID(
        of process: Folder, pid: Int32, uid: UInt32
    ) throws(IdentityError) -> (Identity.Kind, String) {
        // Sandboxes first: an application in a sandbox controls everything else that is read there.
        if let info = try process.folder("root").contents(of: FlatpakInfo.name, limit: FlatpakInfo.limit) {
            return (.flatpak, try FlatpakInfo.applicationID(info))
        }
        let groups = try ControlGroups(file("cgroup", of: process))
        if let snap = try groups.snap {
            return (.snap, snap)
        }
        let program = try Executable(of: process)
        if let application = try application(in: groups, pid: pid, uid: uid) {
            return (.app, application)
        }
        let image = AppImage(proc: proc, device: servedDevice)
        let path = image.path(serving: program.device) { (try? checkUser(uid, of: $0)) != nil }
        return (.executable, path ?? program.path)
    }

    private func application(
        in groups: ControlGroups, pid: Int32, uid: UInt32
    ) throws(IdentityError) -> String? {
        guard let controlGroups, let unit = SystemdUnit(of: groups.unified, uid: uid),
            let id = unit.applicationID
        else { return nil }
        let members = ApplicationUnit(unit: unit, proc: proc, controlGroups: controlGroups)
        return try members.isFirst(pid) ? id : nil
    }

    func checkUser(_ uid: UInt32, of process: Folder) throws(IdentityError) {
        let users = try ProcessUsers(file("status", of: process))
        guard users.uids.allSatisfy({ $0 == uid }) else { throw IdentityError(.foreign, "status") }
    }

    func file(_ name: String, of process: Folder) throws(IdentityError) -> [UInt8] {
        guard let contents = try process.contents(of: name, limit: Self.limit) else {
            throw IdentityError(.gone, name, code: ENOENT)
        }
        return contents
    }
}
