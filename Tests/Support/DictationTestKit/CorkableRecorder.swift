import CDriverMicrophone
import EventLoop
import Glibc

/// Another program's capture of the default source, which can be corked, like a call on hold. Ends with this object.
public final class CorkableRecorder: Sendable {
    private let handle: Lock<Handle>

    /// Proof: used only by the holder of the lock around it.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// - Parameters:
    ///   - properties: of its node, such as `media.role`.
    ///   - isCorked: from the beginning.
    public init(
        on server: PrivatePipeWire, _ properties: [String: String], isCorked: Bool = false
    ) throws {
        let socket = try server.connect()
        let handle = withNodeProperties(properties.map { (Array($0.utf8), Array($1.utf8)) }) {
            recorder_new(socket.rawValue, $0, isCorked)
        }
        guard let handle else { throw TestFailure("a recorder: \(String(cString: strerror(errno)))") }
        self.handle = Lock(Handle(pointer: handle))
    }

    deinit { handle.withLock { recorder_free($0.pointer) } }

    /// Corks the stream, which stays in the graph and is idle, or uncorks it.
    public func cork(_ isCorked: Bool) {
        handle.withLock { recorder_set_corked($0.pointer, isCorked) }
    }
}
