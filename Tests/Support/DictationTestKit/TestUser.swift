import Foundation
import Glibc

/// Another user of the machine, as whom a test that runs as root runs programs.
public struct TestUser: Hashable, Sendable {
    public let uid: UInt32

    public init(_ uid: UInt32) {
        self.uid = uid
    }

    /// A command as it runs for the user, in no group but the user's own.
    public func command(_ words: [String]) -> [String] {
        ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"] + words
    }

    /// Gives a folder, and all that is in it, to the user.
    public func own(_ directory: TemporaryDirectory) throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        for path in [directory.path] + paths.map(directory.path(of:)) {
            guard lchown(path, uid, uid) == 0 else {
                throw TestFailure("chown \(path): \(String(cString: strerror(errno)))")
            }
        }
    }
}
