import DictationTestKit
import Foundation

/// The resources of a process, from the kernel.
public struct Usage: Hashable, Sendable, CustomStringConvertible {
    /// Open descriptors, counted by kind: `socket`, `anon_inode:[eventfd]`, a path.
    public var files: [String: Int]
    /// Without Dispatch's workers, which end by themselves up to half a minute after their last work.
    public var threads: Int
    /// Memory of its own, without that of files: the kernel takes it away and gives it back as it likes.
    public var kibibytes: Int

    public var descriptors: Int { files.values.reduce(0, +) }

    public var description: String {
        "\(descriptors) descriptors, \(threads) threads, \(kibibytes) KiB"
    }

    public static let none = Usage(files: [:], threads: 0, kibibytes: 0)

    public static func + (one: Usage, other: Usage) -> Usage {
        Usage(
            files: one.files.merging(other.files, uniquingKeysWith: +), threads: one.threads + other.threads,
            kibibytes: one.kibibytes + other.kibibytes)
    }

    private init(files: [String: Int], threads: Int, kibibytes: Int) {
        self.files = files
        self.threads = threads
        self.kibibytes = kibibytes
    }

    public init(of process: Int32) throws {
        let folder = "/proc/\(process)"
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8).split(
            separator: "\n")
        func field(_ name: String) throws -> Int {
            let line = status.first { $0.hasPrefix("\(name):") }
            guard let value = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
            else {
                throw TestFailure("The kernel has no \(name) of \(process).")
            }
            return value
        }
        threads = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/task").count { task in
            // A thread that ended meanwhile is not counted.
            guard let name = try? String(contentsOfFile: "\(folder)/task/\(task)/comm", encoding: .utf8)
            else {
                return false
            }
            return !name.contains("qos")
        }
        kibibytes = try field("RssAnon")
        files = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").reduce(into: [:]) {
            files, name in
            // A descriptor that was closed meanwhile is not counted.
            guard
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "\(folder)/fd/\(name)")
            else {
                return
            }
            // `socket:[4711]`: the number is unique.
            let kind =
                target.hasSuffix("]") && !target.hasPrefix("anon_inode:")
                ? target.prefix { $0 != ":" } : target[...]
            files[String(kind), default: 0] += 1
        }
    }

    /// Descriptors that were opened or closed since, one on each line.
    public func descriptorsChanged(since earlier: Usage) -> String {
        Set(files.keys).union(earlier.files.keys).sorted().compactMap { kind in
            let change = files[kind, default: 0] - earlier.files[kind, default: 0]
            return change == 0 ? nil : "\(change > 0 ? "+" : "")\(change) \(kind)"
        }.joined(separator: "\n")
    }
}
