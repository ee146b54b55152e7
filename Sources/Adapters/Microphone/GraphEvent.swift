/// The ID of an object in PipeWire's graph. Valid while the object exists, and used only in this module.
typealias ObjectID = UInt32

/// Events of a connection, in the server's order.
enum GraphEvent: Hashable {
    case roundTripDone(Int32)
    /// An error of the whole connection.
    case failed(ConnectionTrouble)
    /// The ID of this connection's client.
    case identified(client: ObjectID)
    /// A client and the process that connected it, 0 if unknown.
    case clientAdded(ObjectID, process: Int32)
    case nodeAdded(ObjectID, NodeProperties)
    /// Properties are nil if they have not changed.
    case nodeChanged(ObjectID, isRunning: Bool, NodeProperties?)
    case nodeMuteChanged(ObjectID, Bool)
    /// The amplification of its loudest channel.
    case nodeVolumeChanged(ObjectID, Double)
    case clientChanged(ObjectID, ClientProperties)
    /// `device.bus` of a device; empty if it has none.
    case deviceChanged(ObjectID, bus: String)
    /// An audio port of a node, and its number among the ports with that direction.
    case portAdded(ObjectID, node: ObjectID, isInput: Bool, index: Int)
    /// A link between two nodes; `client` made it.
    case linkAdded(ObjectID, output: ObjectID, input: ObjectID, client: ObjectID? = nil)
    /// This connection may make links.
    case linkFactoryAdded(ObjectID)
    case objectRemoved(ObjectID)
    /// The `node.name` of the default source, which may name a sink.
    case defaultSourceChanged(DeviceText?)
    case captureChanged(StreamID, CaptureStream.State)
    /// Samples that came after the events before and before those that follow.
    case captured(StreamID, [Int16])

    var addsObject: Bool {
        switch self {
        case .clientAdded, .nodeAdded, .portAdded, .linkAdded: true
        default: false
        }
    }
}

struct ConnectionTrouble: Hashable {
    /// `errno`.
    var code: Int32
    var message: String
    /// Whether the server is gone. Otherwise a round trip has to find out.
    var isLoss: Bool
}

typealias StreamID = UInt64
