import CDriverMicrophone
import EventLoop
import Glibc

/// Another program's capture of the default source, that can be corked, as a call is that is on hold. It vanishes
/// with this object.
public final class CorkableRecorder: Sendable {
    private let handle: Lock<Handle>

    /// Used by nobody but who holds the lock around it.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// - Parameter properties: of its node, such as `media.role`.
    public init(on server: PrivatePipeWire, _ properties: [String: String]) throws {
        let socket = try server.connect()
        let handle = withNodeProperties(properties.map { (Array($0.utf8), Array($1.utf8)) }) {
            recorder_new(socket.rawValue, $0)
        }
        guard let handle else { throw TestFailure("a recorder: \(String(cString: strerror(errno)))") }
        self.handle = Lock(Handle(pointer: handle))
    }

    deinit { handle.withLock { recorder_free($0.pointer) } }

    /// Stays in the graph and is idle, or goes on.
    public func cork(_ isCorked: Bool) {
        handle.withLock { recorder_set_corked($0.pointer, isCorked) }
    }
}
