internal import DictationCore

/// The relevant part of PipeWire's graph: a value that the server's events change and ``AudioFacts`` are read from.
struct Graph {
    private var nodes: [ObjectID: Node] = [:]
    private var ports: [ObjectID: Port] = [:]
    private var links: [ObjectID: Link] = [:]
    /// The server's factory of links, if this connection may use it.
    private var linkFactory: ObjectID?
    /// Nodes that capture.
    private var clients: [ObjectID: ClientProperties] = [:]
    /// `device.bus` of the sources' devices.
    private var buses: [ObjectID: String] = [:]
    private var defaultSource: DeviceText?
    /// The ID of this connection's client.
    private var client: ObjectID?
    /// The processes that connected the clients.
    private var processes: [ObjectID: Int32] = [:]

    private struct Node {
        var properties: NodeProperties
        var isRunning = false
        var isMuted = false
        var volume = 1.0
        /// All properties of the node are known.
        var isComplete = false
    }

    private struct Port {
        var node: ObjectID
        var isInput: Bool
        var index: Int
    }

    private struct Link: Hashable {
        var output: ObjectID
        var input: ObjectID
        var client: ObjectID?
    }

    /// More than the largest studios have. Further objects are ignored: the server of a user may invent any number.
    static let objectLimit = 16_384

    private var isFull: Bool { nodes.count + ports.count + links.count + processes.count >= Self.objectLimit }

    /// Objects with more properties than the registry lists.
    enum Watched: Hashable {
        case node(ObjectID)
        case client(ObjectID)
        case device(ObjectID)
    }

    /// Applies an event of the graph. Returns the objects to watch from now on.
    mutating func follow(_ event: GraphEvent) -> [Watched] {
        if event.addsObject, isFull { return [] }
        switch event {
        case .identified(let id):
            client = id
        case .clientAdded(let id, let process):
            processes[id] = process
        case .nodeAdded(let id, let properties):
            nodes[id] = Node(properties: properties)
            return watched(id, properties)
        case .nodeChanged(let id, let isRunning, let properties):
            nodes[id]?.isRunning = isRunning
            guard var properties else { break }
            // The registry's value is from the server itself.
            properties.client = nodes[id]?.properties.client
            nodes[id]?.properties = properties
        case .nodeMuteChanged(let id, let isMuted):
            nodes[id]?.isMuted = isMuted
        case .nodeVolumeChanged(let id, let volume):
            nodes[id]?.volume = volume
        case .clientChanged(let id, let properties):
            clients[id] = properties
        case .deviceChanged(let id, let bus):
            buses[id] = bus
        case .portAdded(let id, let node, let isInput, let index):
            ports[id] = Port(node: node, isInput: isInput, index: index)
        case .linkAdded(let id, let output, let input, let client):
            links[id] = Link(output: output, input: input, client: client)
        case .linkFactoryAdded(let id):
            linkFactory = id
        case .objectRemoved(let id):
            nodes[id] = nil
            ports[id] = nil
            // PipeWire 1.4 removes a node before its links.
            links = links.filter { $0.key != id && $0.value.output != id && $0.value.input != id }
            if linkFactory == id { linkFactory = nil }
            clients[id] = nil
            processes[id] = nil
            buses[id] = nil
        case .defaultSourceChanged(let name):
            defaultSource = name
        case .roundTripDone, .failed, .captureChanged, .captured:
            break
        }
        return []
    }

    private mutating func watched(_ id: ObjectID, _ properties: NodeProperties) -> [Watched] {
        if properties.isSource {
            guard let device = properties.device, buses[device] == nil else { return [.node(id)] }
            buses[device] = ""
            return [.node(id), .device(device)]
        }
        // Of other nodes, such as sinks and players, only the class matters.
        guard isOtherCapture(properties) else { return [] }
        guard let client = properties.client, clients[client] == nil else { return [.node(id)] }
        clients[client] = ClientProperties()
        return [.node(id), .client(client)]
    }

    /// All properties of these nodes are known for now.
    mutating func complete(_ ids: [ObjectID]) {
        for id in ids { nodes[id]?.isComplete = true }
    }

    /// A capture stream of another connection.
    private func isOtherCapture(_ properties: NodeProperties) -> Bool {
        properties.isCapture && (properties.client == nil || properties.client != client)
    }
}

// MARK: - Queries

extension Graph {
    var facts: AudioFacts {
        let sources = sources
        let name = defaultSource.map { NodeName($0.text) }
        return AudioFacts(
            isServerAvailable: true, sources: sources,
            defaultSource: name.flatMap { sources[$0] == nil ? nil : $0 },
            otherCaptures: otherCaptures)
    }

    /// Whether there is any source, with or without known properties.
    var hasSource: Bool { nodes.values.contains { $0.properties.isSource } }

    /// The value of `target.object` for the source with this name.
    func target(_ name: NodeName) -> String {
        let node = nodes.values.first { $0.properties.isSource && $0.properties.name.text == name.rawValue }
        // A repaired name would not be found. The serial is, as long as the node exists.
        guard let properties = node?.properties, !properties.name.isExact else { return name.rawValue }
        return properties.serial
    }

    enum Peer: Hashable {
        case none
        case source(NodeName)
        /// Not a microphone: a sink's monitor, a player and so on.
        case other
    }

    /// The sources of a node. One that is not a microphone makes the others count as none.
    func peer(of node: ObjectID) -> Peer { peer(fedBy: links.values.filter { $0.input == node }) }

    private func peer(fedBy links: [Link]) -> Peer {
        var peer = Peer.none
        for output in links.map(\.output).sorted() {
            guard let properties = nodes[output]?.properties, properties.isSource else { return .other }
            if peer == .none { peer = .source(NodeName(properties.name.text)) }
        }
        return peer
    }

    /// Whether this connection may make links.
    var mayLink: Bool { linkFactory != nil }

    /// The ports of a stream's node and of the source that it should capture. Nil if another client has linked the
    /// stream, or if there is no source with ports.
    /// - Parameter target: What the stream asks for, as PipeWire knows it; while it is absent, and if it is nil, the
    ///   default source.
    func unlinked(_ node: ObjectID, target: String?) -> UnlinkedStream? {
        guard let client, let source = source(for: target) else { return nil }
        guard !links.values.contains(where: { $0.input == node && $0.client != client }) else { return nil }
        let outputs = ports(of: source, isInput: false).prefix(UnlinkedStream.channelLimit)
        guard !outputs.isEmpty else { return nil }
        return UnlinkedStream(node: node, outputs: Array(outputs), inputs: ports(of: node, isInput: true))
    }

    /// The factor for a stream's samples. Channels of a source that are linked to one port are added up there; this turns
    /// the sum into the mean.
    func volume(of node: ObjectID) -> Float {
        let inputs = ports.values.count { $0.node == node && $0.isInput }
        var counts: [ObjectID: Int] = [:]
        for link in links.values where link.input == node { counts[link.output, default: 0] += 1 }
        guard inputs > 0, let most = counts.values.max(), most > inputs else { return 1 }
        return Float(inputs) / Float(most)
    }

    private func source(for target: String?) -> ObjectID? {
        func newest(_ name: String) -> ObjectID? {
            nodes.filter { $0.value.properties.isSource && $0.value.properties.name.text == name }.keys.max()
        }
        func numbered(_ serial: String) -> ObjectID? {
            nodes.first { $0.value.properties.isSource && $0.value.properties.serial == serial }?.key
        }
        return target.flatMap { newest($0) ?? numbered($0) } ?? defaultSource.flatMap { newest($0.text) }
    }

    private func ports(of node: ObjectID, isInput: Bool) -> [ObjectID] {
        ports.filter { $0.value.node == node && $0.value.isInput == isInput }
            .sorted { ($0.value.index, $0.key) < ($1.value.index, $1.key) }
            .map(\.key)
    }

    /// -100 dB: no microphone delivers anything with less.
    private static let leastVolume = 0.00001

    private var sources: [NodeName: Source] {
        var sources: [NodeName: Source] = [:]
        // Names may be used twice; the latest node is reported.
        for (id, node) in nodes.sorted(by: { $0.key < $1.key })
        where node.properties.isSource && node.isComplete {
            var source = Source(node.properties)
            source.isMuted = node.isMuted
            source.channels = max(1, ports(of: id, isInput: false).count)
            source.hasNoVolume = node.volume < Self.leastVolume
            if source.bus.isEmpty { source.bus = node.properties.device.flatMap { buses[$0] } ?? "" }
            sources[source.name] = source
        }
        return sources
    }

    private var otherCaptures: [OtherCapture] {
        let links = Dictionary(grouping: links.values, by: \.input)
        return nodes.sorted { $0.key < $1.key }
            .filter { isOtherCapture($0.value.properties) && $0.value.isComplete }
            .map { id, node in
                var source: NodeName?
                if case .source(let name) = peer(fedBy: links[id] ?? []) { source = name }
                let properties = node.properties
                let client = properties.client.flatMap { clients[$0] } ?? ClientProperties()
                return OtherCapture(
                    application: properties.application.isEmpty ? client.application : properties.application,
                    binary: properties.binary.isEmpty ? client.binary : properties.binary,
                    role: properties.role, isRunning: node.isRunning,
                    capturesMonitor: properties.capturesMonitor, source: source)
            }
    }
}

extension Source {
    fileprivate init(_ properties: NodeProperties) {
        self.init(
            name: NodeName(properties.name.text), description: properties.description, bus: properties.bus,
            bluetoothProfile: properties.bluetoothProfile, priority: properties.priority)
    }
}
