public import EventLoop
import Foundation
import Glibc

/// A file system in memory with little room, which only this process and those that get its folder see.
public final class SmallDisk: Sendable {
    /// The root folder.
    public let folder: Descriptor
    private let holder: ChildProcess
    private let place: TemporaryDirectory

    public init(kilobytes: Int) async throws {
        place = try TemporaryDirectory()
        // In a mount namespace of its own, so that it goes away with the process.
        holder = try ChildProcess([
            "unshare", "--mount", "sh", "-c",
            "mount -t tmpfs -o size=\(kilobytes)k tmpfs \"$0\" && chmod 777 \"$0\" && echo mounted && exec sleep 1000000",
            place.path,
        ])
        _ = try await holder.line(of: .output) { $0 == "mounted" }
        let opened = open("/proc/\(holder.pid)/root\(place.path)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw TestFailure("a small disk: \(String(cString: strerror(errno)))") }
        folder = Descriptor(owning: opened)
    }

    deinit { holder.kill() }

    public func contents(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "/proc/self/fd/\(folder.rawValue)/\(name)")))
    }

    public var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd/\(folder.rawValue)/.")
        }
    }
}
