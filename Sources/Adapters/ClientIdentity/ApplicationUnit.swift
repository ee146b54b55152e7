import EventLoop

/// Decides whether a process is the application that a systemd unit was started for, or was started within the unit
/// later.
///
/// A desktop starts an application as the first process of its own unit. A program started from a terminal runs in the
/// terminal's unit, and is not the terminal. So the application is the oldest process of its unit, provided that
/// - its parent is not in the unit: start times are too coarse to order a process and its first child;
/// - the leader of its session still runs: otherwise it may be left over from a terminal that has ended.
///
/// A program that detaches itself from a terminal entirely, setsid(2), and outlives it is taken for the terminal.
struct ApplicationUnit {
    let unit: SystemdUnit
    /// The path of `/proc`.
    let proc: Folder
    /// The path of the unified hierarchy of control groups.
    let controlGroups: Folder

    /// Units with more processes are not searched.
    private static let maximumOfMembers = 2048

    func isFirst(_ pid: Int32) throws(IdentityError) -> Bool {
        // Without the list, no process is known to be the first. The identity itself is not in doubt.
        guard let members = try? members(), members.contains(pid),
            let status = try status(of: pid), !members.contains(status.parent)
        else { return false }
        if status.session != pid {
            guard try self.status(of: status.session) != nil else { return false }
        }
        for member in members where member != pid {
            if let other = try self.status(of: member), other.startTime < status.startTime { return false }
        }
        return true
    }

    private func members() throws(IdentityError) -> Set<Int32> {
        let name = "cgroup.procs"
        // At most ten digits and a line feed for each process.
        let group = try controlGroups.folder(unit.group)
        guard let list = try group.contents(of: name, limit: Self.maximumOfMembers * 11) else { return [] }
        return Set(
            list.split(separator: UInt8(ascii: "\n")).compactMap {
                Int32(String(decoding: $0, as: UTF8.self))
            })
    }

    /// Nil if there is no such process.
    private func status(of pid: Int32) throws(IdentityError) -> ProcessStatus? {
        do throws(IdentityError) {
            guard let stat = try proc.contents(of: "\(pid)/stat", limit: 4096) else { return nil }
            return try ProcessStatus(stat)
        } catch {
            if error.kind == .gone { return nil }
            throw error
        }
    }
}
