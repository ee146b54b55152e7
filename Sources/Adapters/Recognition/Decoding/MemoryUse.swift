import EventLoop
import Glibc

/// The memory that this process may still use.
struct MemoryUse {
    /// The folders of proc(5) and cgroups(7).
    var proc = "/proc"
    var controlGroups = "/sys/fs/cgroup"

    /// In bytes: what the kernel estimates for the machine, or less if a control group of this process is limited to less.
    var available: Int { max(0, min(ofMachine, ofControlGroups)) }

    /// Without `MemAvailable`, which `ProcSubset=pid` hides, less than that: what is free, and files that were not read
    /// lately.
    private var ofMachine: Int {
        if let kibibytes = number("MemAvailable:", in: "\(proc)/meminfo") { return kibibytes * 1024 }
        return sysconf(Int32(_SC_AVPHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) + reclaimable(controlGroups)
    }

    /// The limits of the groups above hold as well.
    private var ofControlGroups: Int {
        let group =
            lines(of: "\(proc)/self/cgroup").first { $0.hasPrefix("0::/") }?.dropFirst("0::/".count) ?? ""
        var folder = controlGroups
        var least = Int.max
        for name in group.split(separator: "/") {
            folder += "/\(name)"
            for limit in ["memory.max", "memory.high"] {
                guard let most = number(in: "\(folder)/\(limit)"),
                    let used = number(in: "\(folder)/memory.current")
                else { continue }
                least = min(least, most - used + reclaimable(folder))
            }
        }
        return least
    }

    /// Files that were not read lately: the kernel drops them before it refuses memory to the group.
    private func reclaimable(_ group: String) -> Int {
        number("inactive_file", in: "\(group)/memory.stat") ?? 0
    }

    /// The number behind this name; nil if there is none.
    private func number(_ name: String, in path: String) -> Int? {
        let fields = lines(of: path).lazy.map { $0.split(separator: " ") }.first { $0.first == name[...] }
        return fields?.dropFirst().first.flatMap { Int($0) }
    }

    /// The number in a file; nil if it does not exist, or is a word: `max` is no limit.
    private func number(in path: String) -> Int? { lines(of: path).first.flatMap { Int($0) } }

    /// A file that cannot be read has no lines.
    private func lines(of path: String) -> [Substring] {
        let text = try? TextFile.read(path)
        return (text ?? "").split(separator: "\n")
    }
}
