import DictationCore
public import EventLoop
import Glibc

/// Finds out which application is behind a connection to the bus.
///
/// The user is known from the bus for certain. The application is as certain as Linux allows:
/// - A *sandboxed* application, of Flatpak or a snap, cannot pass for another one or for one outside a sandbox.
/// - Other programs of the same user can run, trace and imitate each other. Telling them apart is a convenience for the
///   user, not a protection. Scripts are identified by their interpreter, and
///   the programs in an AppImage by the AppImage.
///
/// A process's number can be reused at any time. So the process is held by a pidfd, then the bus is asked again, then
/// `/proc` is read, and finally the process must still be alive: then everything that was read belongs to it. If the
/// bus has no `ProcessFD`, or this process has too few free descriptors to receive it, one gap remains among the programs
/// of one user that connect to the bus directly, not through a sandbox's proxy: if a process hands its connection on and
/// ends before it is identified, the connection is taken for that of the next process with the same number.
public struct IdentityResolver: Sendable {
    private let proc: Folder
    let reader: ProcessReader

    /// - Parameters:
    ///   - proc: the path of `/proc`.
    ///   - controlGroups: the path of the unified hierarchy of control groups. Without it there are no identities of
    ///     kind `app`.
    public init(proc: Descriptor, controlGroups: Descriptor?) {
        self.proc = Folder(proc)
        reader = ProcessReader(proc: self.proc, controlGroups: controlGroups.map(Folder.init))
    }

    /// With the paths of this machine.
    public init() throws(IdentityError) {
        let root = try Folder.at("/")
        proc = try root.folder("proc")
        // systemd uses the second path if it uses version 1 too.
        let places = ["sys/fs/cgroup/unified", "sys/fs/cgroup"]
        reader = ProcessReader(
            proc: proc, controlGroups: places.lazy.compactMap { try? root.folder($0) }.first)
    }

    /// Identifies the application behind a connection.
    ///
    /// Reads on its own thread, because a file system that a user serves can block for ever.
    /// - Parameters:
    ///   - credentials: the bus's reply.
    ///   - confirm: asks the bus again about the same unique name. Not called if there is a `ProcessFD`.
    public func finding(
        _ credentials: BusCredentials, isolation: isolated (any Actor)? = #isolation,
        confirm: () async throws -> (uid: UInt32, pid: UInt32)
    ) async -> IdentityFinding {
        do {
            let process = try await hold(credentials, confirm: confirm)
            return await finding(process, uid: credentials.uid)
        } catch {
            return IdentityFinding(error, uid: credentials.uid)
        }
    }

    /// Identifies a process that the caller holds.
    public func finding(pid: UInt32, uid: UInt32) async -> IdentityFinding {
        do {
            return await finding(try HeldProcess(pid: pid), uid: uid)
        } catch {
            return IdentityFinding(error, uid: uid)
        }
    }

    /// Holds the process behind a connection while its identity is read. Files about another user's process cannot be
    /// read. The result counts if the process is alive afterwards.
    public func hold(
        _ credentials: BusCredentials, isolation: isolated (any Actor)? = #isolation,
        confirm: () async throws -> (uid: UInt32, pid: UInt32)
    ) async throws(IdentityError) -> HeldProcess {
        if let pidfd = credentials.process {
            return try HeldProcess(pidfd: pidfd, proc: proc)
        }
        let process = try HeldProcess(pid: credentials.pid)
        guard let again = try? await confirm(), again == (credentials.uid, credentials.pid) else {
            throw IdentityError(.disconnected, "GetConnectionCredentials")
        }
        return process
    }

    private func finding(_ process: HeldProcess, uid: UInt32) async -> IdentityFinding {
        do {
            return try await OwnThread.run("identity") {
                do throws(IdentityError) {
                    let identity = try reader.identity(of: process.pid, uid: uid)
                    try process.checkAlive()
                    return IdentityFinding(identity)
                } catch {
                    return IdentityFinding(error, uid: uid)
                }
            }
        } catch {
            return IdentityFinding(IdentityError(.unreadable, error.call, code: error.code), uid: uid)
        }
    }
}
