public import DictationCore
import EventLoop
import Glibc

/// What is visible of another user's process: its control groups and its user namespace, but not its program or its
/// root.
public enum Outline: Hashable, Sendable {
    /// Its control group says that it is in the sandbox of this application.
    case sandboxed(Identity)
    /// It may be in a sandbox: its namespaces differ from those of the user's other programs.
    case confined(IdentityError)
    /// Nothing indicates a sandbox.
    case open
}

extension IdentityResolver {
    /// Whether a process belongs to a user and nothing indicates a sandbox.
    public func isUnconfined(_ pid: UInt32, ofUser uid: UInt32) async -> Bool {
        guard let process = try? HeldProcess(pid: pid) else { return false }
        return await outline(of: process, uid: uid) == .open
    }

    /// What any process can read about another. Reads on its own thread.
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
        // Every sandbox that an ordinary user can make has its own user namespace.
        let map = "uid_map"
        guard try file(map, of: process) == file(map, of: proc.folder("1")) else {
            return .confined(IdentityError(.foreign, map))
        }
        try checkUser(uid, of: process)
        return .open
    }
}
