import Foundation

/// What a thread has used since it began, from the kernel.
public struct ThreadUsage: Sendable {
    public let name: String
    /// Seconds of processor time.
    public let seconds: Double
    /// Voluntary context switches.
    public let wakeUps: Int

    /// The threads of processes by ID.
    public static func all(of processes: [Int32]) -> [String: ThreadUsage] {
        processes.reduce(into: [:]) { threads, process in threads.merge(all(of: process)) { $1 } }
    }

    /// A process's threads by ID.
    public static func all(of process: Int32) -> [String: ThreadUsage] {
        let folder = "/proc/\(process)/task"
        var threads: [String: ThreadUsage] = [:]
        for id in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            func read(_ name: String) -> String? {
                try? String(contentsOfFile: "\(folder)/\(id)/\(name)", encoding: .utf8)
            }
            // A thread that ended meanwhile is not counted.
            guard let name = read("comm"), let schedule = read("schedstat"), let status = read("status")
            else {
                continue
            }
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            threads[id] = ThreadUsage(
                name: name.trimmingCharacters(in: .newlines),
                seconds: (Double(schedule.prefix { $0 != " " }) ?? 0) / 1e9,
                wakeUps: line.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
        }
        return threads
    }

    /// The voluntary context switches of processes while `body` ran: their own threads', and those of libdispatch, which checks
    /// Swift's thread pool every second.
    public static func wakeUps(
        of processes: [Int32], during body: () async throws -> Void
    ) async rethrows -> (own: Int, dispatch: Int) {
        let before = all(of: processes)
        try await body()
        return all(of: processes).reduce(into: (own: 0, dispatch: 0)) { sum, thread in
            let count = thread.value.wakeUps - (before[thread.key]?.wakeUps ?? 0)
            if thread.value.name.contains("qos") { sum.dispatch += count } else { sum.own += count }
        }
    }
}
