import Foundation

/// A folder with mode 0700 that is deleted with the last reference.
public final class TemporaryDirectory: Sendable {
    /// Short enough for a socket's path.
    public let path: String

    /// - Parameter parent: on Debian 13 `/tmp` ignores the set-user-ID mode of files, and `/var/tmp` does not.
    public init(in parent: String = "/tmp") throws {
        let template = strdup("\(parent)/dictation-XXXXXX")
        defer { free(template) }
        guard let template, mkdtemp(template) != nil else {
            throw TestFailure("mkdtemp: \(String(cString: strerror(errno)))")
        }
        path = String(cString: template)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in the folder.
    public func path(of name: String) -> String {
        "\(path)/\(name)"
    }

    /// Writes a file in the folder, and creates the folders above it.
    /// - Returns: the file's path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        let url = URL(fileURLWithPath: path(of: name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return url.path
    }
}
