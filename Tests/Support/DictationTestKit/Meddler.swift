import CDriverMicrophone
public import EventLoop
import Glibc

/// A client of PipeWire that tries forbidden operations on a connection.
///
/// Each attempt waits for the server and returns its error; 0 if it was not refused.
public final class Meddler {
    private let handle: OpaquePointer

    /// - Parameter socket: connected to the server.
    public init(_ socket: Descriptor) throws {
        guard let handle = meddler_new(socket.rawValue) else {
            throw TestFailure("a meddler: \(String(cString: strerror(errno)))")
        }
        self.handle = handle
    }

    deinit { meddler_free(handle) }

    public func setVolume(of node: String) -> Int32 { -meddler_set_volume(handle, node) }
    public func link(_ output: String, to input: String) -> Int32 { -meddler_link(handle, output, input) }
    public func destroy(_ node: String) -> Int32 { -meddler_destroy(handle, node) }
    public func choose(defaultSource node: String) -> Int32 { -meddler_choose_default(handle, node) }
    public func createNode(_ name: String) -> Int32 { -meddler_create_node(handle, name) }
    public func liftRestrictions() -> Int32 { -meddler_lift_restrictions(handle) }
}
