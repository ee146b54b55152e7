internal import CPipeWire
internal import EventLoop
internal import Glibc

/// A connection to a PipeWire server, confined to the event loop.
///
/// PipeWire calls back while it is iterated. Events are collected in order and returned afterwards, so that the handler
/// may do anything, including closing the connection.
final class PipeWireConnection {
    private var handle: OpaquePointer?
    private var reported: [GraphEvent] = []
    /// The links that this connection has made.
    private var links: [PortPair: OpaquePointer] = [:]

    /// Does not block. Errors of the socket are reported as events.
    init(_ socket: Descriptor) throws(MicrophoneError) {
        var events = Self.events
        // Not retained: `close`, which `deinit` calls, ends the callbacks.
        let context = Unmanaged.passUnretained(self).toOpaque()
        handle = dictation_connection_new(socket.rawValue, &events, context)
        if handle == nil { throw MicrophoneError(.cannotConnect, errno: errno) }
    }

    deinit { close() }

    /// Ends the connection. Its captures must have been stopped before.
    func close() {
        guard let handle else { return }
        self.handle = nil
        retainLinks([])
        dictation_connection_free(handle)
    }

    /// Readable when there are events.
    var descriptor: Int32 { handle.map { dictation_connection_descriptor($0) } ?? -1 }

    /// The events since the last call. Does not block.
    func takeEvents() -> [GraphEvent] {
        if let handle { dictation_connection_iterate(handle) }
        defer { reported = [] }
        return reported
    }

    /// The number of the matching ``GraphEvent/roundTripDone(_:)``; nil if it cannot be sent.
    func beginRoundTrip() -> Int32? {
        guard let handle else { return nil }
        let number = dictation_connection_begin_round_trip(handle)
        return number < 0 ? nil : number
    }

    /// Subscribes to all properties of an object.
    func watch(_ object: Graph.Watched) {
        guard let handle else { return }
        let result =
            switch object {
            case .node(let id): dictation_connection_watch_node(handle, id)
            case .client(let id): dictation_connection_watch_client(handle, id)
            case .device(let id): dictation_connection_watch_device(handle, id)
            }
        if result < 0 {
            report(
                .failed(
                    ConnectionTrouble(code: -result, message: "\(object) cannot be observed", isLoss: false)))
        }
    }

    /// Queries the default source again.
    func rereadDefaultSource() {
        if let handle { dictation_connection_reread_default_source(handle) }
    }

    func openCapture(_ id: StreamID, _ options: CaptureStream.Options) throws(CaptureRefusal)
        -> CaptureStream
    {
        guard let handle else { throw CaptureRefusal(errno: ENOTCONN) }
        return try CaptureStream(id, options, on: handle) { [unowned self] in report($0) }
    }

    /// Removes this connection's links that are not in the list.
    func retainLinks(_ wanted: Set<PortPair>) {
        for (ports, link) in links where !wanted.contains(ports) {
            dictation_link_free(link)
            links[ports] = nil
        }
    }

    /// Makes the missing links of the list. Errors show in ``hasLinks(_:)``.
    func makeLinks(_ wanted: Set<PortPair>) {
        guard let handle else { return }
        retainLinks(Set(links.filter { !dictation_link_is_over($0.value) }.keys))
        for ports in wanted where links[ports] == nil {
            links[ports] = dictation_link_new(handle, ports.output, ports.input)
        }
    }

    /// Whether these links were made, or are being made.
    func hasLinks(_ wanted: Set<PortPair>) -> Bool {
        wanted.allSatisfy { links[$0].map { !dictation_link_is_over($0) } ?? false }
    }

    fileprivate func report(_ event: GraphEvent) { reported.append(event) }
}

// MARK: - Callbacks from C

extension PipeWireConnection {
    private static var events: dictation_connection_events {
        dictation_connection_events(
            round_trip_done: { PipeWireConnection.at($0).report(.roundTripDone($1)) },
            failed: { PipeWireConnection.at($0).report(.failed(ConnectionTrouble(code: $1, message: $2))) },
            client_identified: { PipeWireConnection.at($0).report(.identified(client: $1)) },
            client_added: { PipeWireConnection.at($0).report(.clientAdded($1, process: $2)) },
            node_added: { PipeWireConnection.at($0).report(.nodeAdded($1, NodeProperties($2))) },
            node_changed: {
                PipeWireConnection.at($0).report(
                    .nodeChanged($1, isRunning: $2, $3.map { NodeProperties($0) }))
            },
            node_mute_changed: { PipeWireConnection.at($0).report(.nodeMuteChanged($1, $2)) },
            node_volume_changed: { PipeWireConnection.at($0).report(.nodeVolumeChanged($1, Double($2))) },
            client_changed: { PipeWireConnection.at($0).report(.clientChanged($1, ClientProperties($2))) },
            device_changed: {
                let bus = dictation_properties_get($2, "device.bus").map { DeviceText($0).text }
                PipeWireConnection.at($0).report(.deviceChanged($1, bus: bus ?? ""))
            },
            port_added: {
                PipeWireConnection.at($0).report(
                    .portAdded($1, node: $2, isInput: $3, index: Int(clamping: $4)))
            },
            link_added: {
                let client = $4 == .max ? nil : $4
                PipeWireConnection.at($0).report(.linkAdded($1, output: $2, input: $3, client: client))
            },
            link_factory_added: { PipeWireConnection.at($0).report(.linkFactoryAdded($1)) },
            object_removed: { PipeWireConnection.at($0).report(.objectRemoved($1)) },
            default_source_changed: {
                PipeWireConnection.at($0).report(.defaultSourceChanged($1.map { DeviceText($0) }))
            })
    }

    private static func at(_ context: UnsafeMutableRawPointer) -> PipeWireConnection {
        // The context is the one of `init`, and callbacks end before `deinit` does.
        Unmanaged<PipeWireConnection>.fromOpaque(context).takeUnretainedValue()
    }
}

extension ConnectionTrouble {
    fileprivate init(code: Int32, message: UnsafePointer<CChar>?) {
        self.code = code
        self.message = message.map { DeviceText($0).text } ?? String(cString: strerror(code))
        isLoss = [EPIPE, ECONNRESET, ENOTCONN].contains(code)
    }
}
