import DictationTestKit
import Glibc
import Testing

@testable import Recognition

/// What is available, from files like those of the kernel.
struct MemoryUseTests {
    private let folder: TemporaryDirectory
    private let use: MemoryUse

    init() throws {
        folder = try TemporaryDirectory()
        use = MemoryUse(proc: folder.path(of: "proc"), controlGroups: folder.path(of: "cgroup"))
        try folder.write("MemTotal: 9000 kB\nMemFree: 1 kB\nMemAvailable:    4000 kB\n", to: "proc/meminfo")
        try folder.write("4:memory:/old\n0::/user.slice/dictation.service\n", to: "proc/self/cgroup")
    }

    private func limit(_ group: String, _ files: [String: String]) throws {
        for (name, text) in files { try folder.write(text + "\n", to: "cgroup/\(group)/memory.\(name)") }
    }

    @Test func isThatOfTheMachineWithoutALimit() throws {
        #expect(use.available == 4000 * 1024)
        try limit("user.slice/dictation.service", ["max": "max", "high": "max", "current": "5000000"])
        #expect(use.available == 4000 * 1024)
    }

    @Test(arguments: ["user.slice", "user.slice/dictation.service"], ["max", "high"])
    func isWhatTheLimitOfAGroupLeaves(group: String, kind: String) throws {
        try limit(group, [kind: "3000000", "current": "2500000", "stat": "anon 7\ninactive_file 100000"])
        #expect(use.available == 600_000)
        try limit(group, ["current": "3500000"])
        #expect(use.available == 0)
    }

    /// As with `ProcSubset=pid`.
    @Test func isWhatIsFreeIfTheKernelsEstimateIsHidden() throws {
        let hidden = MemoryUse(proc: folder.path(of: "none"), controlGroups: folder.path(of: "none"))
        let all = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        #expect((1 << 20...all).contains(hidden.available))
        #expect(MemoryUse().available > 1 << 20)
    }
}
