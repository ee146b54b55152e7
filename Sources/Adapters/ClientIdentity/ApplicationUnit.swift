import EventLoop

/// Tells the first process of an application's unit from what was started within the unit later.
///
/// A desktop starts an application as the first process of a unit of its own. What is started from a terminal runs in
/// the terminal's unit, and is not the terminal. So an application is the oldest process of its unit, provided that
/// - its parent is not in the unit: start times are too coarse to order a process and its first child;
/// - whoever began its session still runs: else it was left over by a terminal that has gone, and is now the oldest.
///
/// A program that detaches itself from a terminal entirely, setsid(2), and outlives it is taken for it nevertheless.
struct ApplicationUnit {
    let unit: SystemdUnit
    /// Where `/proc` is.
    let proc: Folder
    /// Where the unified hierarchy of control groups is.
    let controlGroups: Folder

    /// In a unit with more processes nobody is looked for.
    private static let maximumOfMembers = 2048

    func isFirst(_ pid: Int32) throws(IdentityError) -> Bool {
        // Without the list nobody can be told to be first; it is no reason to doubt who it is.
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
        // At most ten digits and a line feed each.
        let group = try controlGroups.folder(unit.group)
        guard let list = try group.contents(of: name, limit: Self.maximumOfMembers * 11) else { return [] }
        return Set(
            list.split(separator: UInt8(ascii: "\n")).compactMap {
                Int32(String(decoding: $0, as: UTF8.self))
            })
    }

    /// Nil if there is no such process, or none any more.
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
