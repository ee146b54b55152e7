import Foundation

/// A folder that only this user can enter, and that goes, with what is in it, when nobody refers to it any more.
public final class TemporaryDirectory: Sendable {
    /// Short enough for a socket's path.
    public let path: String

    public init() throws {
        let template = strdup("/tmp/dictation-XXXXXX")
        defer { free(template) }
        guard let template, mkdtemp(template) != nil else {
            throw TestFailure("mkdtemp: \(String(cString: strerror(errno)))")
        }
        path = String(cString: template)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in the folder.
    public func path(of name: String) -> String {
        "\(path)/\(name)"
    }

    /// Writes a file into the folder, and any folder that leads to it.
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
