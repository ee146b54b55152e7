import EventLoop

/// The file by which the service of the machine asks for a user's worker. It is there as long as the worker is needed: a path unit
/// of the user's service manager starts the worker because of it, and a worker that finds it gone ends.
///
/// It is named after the user's number, and has two lines: the path of the broker's socket, and the GUID of the service's bus.
package struct WorkerRequest: Equatable, Sendable {
    /// The path of the broker's socket.
    package let socket: String
    /// The GUID of the service's bus.
    package let bus: String

    /// In bytes.
    private static let longest = 4096

    package init(socket: String, bus: String) {
        self.socket = socket
        self.bus = bus
    }

    /// Nil if `text` is not valid.
    package init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 3, lines[2].isEmpty, lines[0].hasPrefix("/"), !lines[1].isEmpty else {
            return nil
        }
        self.init(socket: lines[0], bus: lines[1])
    }

    package var text: String { "\(socket)\n\(bus)\n" }

    /// Where the service of the machine asks for this user's worker.
    package static func path(ofUser uid: UInt32) -> String { "/run/dictation/wanted/\(uid)" }

    /// Reads the request; nil if there is none. Blocks.
    package static func read(_ path: String) throws -> WorkerRequest? {
        guard let text = try TextFile.read(path) else { return nil }
        guard text.utf8.count <= longest, let request = WorkerRequest(text) else {
            throw WorkerRequestError(path: path)
        }
        return request
    }
}

package struct WorkerRequestError: Error, CustomStringConvertible {
    package let path: String

    package var description: String {
        "\(path) is not a request for a worker: dictationd of another version?"
    }
}
