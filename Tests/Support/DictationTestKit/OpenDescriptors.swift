import Foundation

/// What this process's open descriptors refer to, as the kernel names it: `socket:[1234]`, `anon_inode:[eventpoll]`.
///
/// Without timers: Dispatch opens up to one for each clock, at any time, and keeps it. Its `epoll` and `eventfd` come with the
/// first sleep, which is here.
public func openDescriptors() async throws -> [String] {
    try await Task.sleep(for: .milliseconds(1))
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
        // The descriptor with which the folder was listed is closed by now.
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
    }.filter { $0 != "anon_inode:[timerfd]" }
}
