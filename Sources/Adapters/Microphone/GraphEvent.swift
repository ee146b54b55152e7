/// The id of an object in PipeWire's graph: valid until the object goes, and never seen outside this module.
typealias ObjectID = UInt32

/// What a connection tells, in the server's order.
enum GraphEvent: Hashable {
    case roundTripDone(Int32)
    /// The connection as a whole is in trouble.
    case failed(ConnectionTrouble)
    /// The server knows this connection as this client.
    case identified(client: ObjectID)
    /// A client and the process that connected it, 0 if unknown.
    case clientAdded(ObjectID, process: Int32)
    case nodeAdded(ObjectID, NodeProperties)
    /// Properties are nil where they are as before.
    case nodeChanged(ObjectID, isRunning: Bool, NodeProperties?)
    case nodeMuteChanged(ObjectID, Bool)
    case clientChanged(ObjectID, ClientProperties)
    /// `device.bus` of a device, empty where it has none.
    case deviceChanged(ObjectID, bus: String)
    /// An audio port of a node, and its number among the ports of its direction.
    case portAdded(ObjectID, node: ObjectID, isInput: Bool, index: Int)
    /// A link between two nodes; `client` made it.
    case linkAdded(ObjectID, output: ObjectID, input: ObjectID, client: ObjectID? = nil)
    /// This connection may make links.
    case linkFactoryAdded(ObjectID)
    case objectRemoved(ObjectID)
    /// The `node.name` of the default source, which may name a sink.
    case defaultSourceChanged(DeviceText?)
    case captureChanged(StreamID, CaptureStream.State)
    /// Samples that came before the events that follow, and after those before.
    case captured(StreamID, [Int16])
}

struct ConnectionTrouble: Hashable {
    /// `errno`.
    var code: Int32
    var message: String
    /// The server is gone: the rest is for a round trip to find out.
    var isLoss: Bool
}

typealias StreamID = UInt64
