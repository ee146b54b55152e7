public import DictationCore
import EventLoop
import Glibc

/// What can be known of another user's process: its files about its program and its root are closed, those about its
/// control groups and its user namespace are not.
public enum Outline: Hashable, Sendable {
    /// It is in the sandbox of this application, by its control group.
    case sandboxed(Identity)
    /// It is not where the user's programs ordinarily are, and may be in some sandbox.
    case confined(IdentityError)
    /// Nothing speaks for a sandbox.
    case open
}

extension IdentityResolver {
    /// What a process is, as far as anybody may know. Read on a thread of its own.
    public func outline(of process: HeldProcess, uid: UInt32) async -> Outline {
        do {
            return try await OwnThread.run("outline") { reader.outline(of: process, uid: uid) }
        } catch {
            return .confined(IdentityError(.unreadable, error.call, code: error.code))
        }
    }
}

extension ProcessReader {
    fileprivate func outline(of process: HeldProcess, uid: UInt32) -> Outline {
        do throws(IdentityError) {
            let folder = try proc.folder("\(process.pid)")
            let outline = try outline(of: folder, uid: uid)
            try process.checkAlive()
            return outline
        } catch {
            return .confined(error)
        }
    }

    private func outline(of process: Folder, uid: UInt32) throws(IdentityError) -> Outline {
        try checkUser(uid, of: process)
        let groups = try ControlGroups(file("cgroup", of: process))
        if let snap = try groups.snap {
            return .sandboxed(Identity(uid: uid, kind: .snap, id: snap))
        }
        if let application = try groups.flatpak {
            return .sandboxed(Identity(uid: uid, kind: .flatpak, id: application))
        }
        // Every sandbox that an ordinary user can make begins with a user namespace of its own.
        let map = "uid_map"
        guard try file(map, of: process) == file(map, of: proc.folder("1")) else {
            return .confined(IdentityError(.foreign, map))
        }
        try checkUser(uid, of: process)
        return .open
    }
}
