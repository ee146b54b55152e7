import Foundation
import Glibc

/// Another user of the machine, for tests that run as root.
public struct TestUser: Hashable, Sendable {
    public let uid: UInt32

    /// On every machine.
    public static let nobody = TestUser(65534)

    public init(_ uid: UInt32) {
        self.uid = uid
    }

    /// A command as the user runs it, in the user's own group only.
    public func command(_ words: [String]) -> [String] {
        ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"] + words
    }

    /// Gives a folder and its content to the user.
    public func own(_ directory: TemporaryDirectory) throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        for path in [directory.path] + paths.map(directory.path(of:)) {
            guard lchown(path, uid, uid) == 0 else {
                throw TestFailure("chown \(path): \(String(cString: strerror(errno)))")
            }
        }
    }
}
