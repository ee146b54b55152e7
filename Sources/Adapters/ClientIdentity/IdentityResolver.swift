import DictationCore
public import EventLoop
import Glibc

/// Finds out which application is behind a connection to the bus.
///
/// The user is known from the bus for certain. The application is as certain as Linux allows:
/// - A *sandboxed* application, of Flatpak or a snap, cannot pass for another one or for one outside a sandbox.
/// - Other programs of the same user are told apart as a courtesy to that user: they may run, trace and imitate each
///   other at will, and nobody can stop them. Scripts are known by their interpreter.
///
/// A process's number can become another's at any time. So the process is held by a pidfd, then the bus is asked again,
/// then `/proc` is read, and at last the process is seen to be alive still: what was read was its own.
/// Should the bus give no `ProcessFD`, one gap remains among the programs of one user that connect to the bus
/// themselves, not through a sandbox's proxy: if a process hands its connection on and ends before anybody asks, the
/// connection is taken for that of the next process of the same number.
public struct IdentityResolver: Sendable {
    private let proc: Folder
    let reader: ProcessReader

    /// - Parameters:
    ///   - proc: the folder that is `/proc`.
    ///   - controlGroups: the folder where the unified hierarchy of control groups is; without it there are no
    ///     identities of kind `app`.
    public init(proc: Descriptor, controlGroups: Descriptor?) {
        self.proc = Folder(proc)
        reader = ProcessReader(proc: self.proc, controlGroups: controlGroups.map(Folder.init))
    }

    /// Of this machine.
    public init() throws(IdentityError) {
        let root = try Folder.at("/")
        proc = try root.folder("proc")
        // The second is where systemd puts it when it uses the first version as well.
        let places = ["sys/fs/cgroup/unified", "sys/fs/cgroup"]
        reader = ProcessReader(
            proc: proc, controlGroups: places.lazy.compactMap { try? root.folder($0) }.first)
    }

    /// Who is behind a connection.
    ///
    /// The reading is done on a thread of its own: a file system that a user serves can make it wait for ever.
    /// - Parameters:
    ///   - credentials: what the bus said.
    ///   - confirm: asks the bus the same again, for the same unique name. Not called if there is a `ProcessFD`.
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

    /// Who a process is that somebody else holds, or that this one holds: the caller sees to it.
    public func finding(pid: UInt32, uid: UInt32) async -> IdentityFinding {
        do {
            return await finding(try HeldProcess(pid: pid), uid: uid)
        } catch {
            return IdentityFinding(error, uid: uid)
        }
    }

    /// Holds the process behind a connection, for somebody to read who it is, as who may: files about another user's
    /// process are closed. What was read counts if the process is alive afterwards.
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
