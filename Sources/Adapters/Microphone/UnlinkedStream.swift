/// Two ports of the graph that a link connects.
struct PortPair: Hashable {
    var output: ObjectID
    var input: ObjectID
}

/// A stream that the session manager has not linked, and the ports that could be linked without it.
///
/// A WirePlumber 0.4 that was restarted links nothing for anybody as long as a source lives that another program owns and
/// that was in use before: it waits for ports of the source that it thinks it has to configure, and they do not change.
struct UnlinkedStream: Hashable {
    /// The stream's node.
    var node: ObjectID
    /// The source's ports, in order, and the stream's.
    var outputs: [ObjectID]
    var inputs: [ObjectID]

    /// `SPA_AUDIO_MAX_CHANNELS`
    static let channelLimit = 64

    /// What would link them. Nil if the stream's ports do not fit: it has none before a session manager configures
    /// them, unless it is opened with one.
    var links: Set<PortPair>? {
        if inputs.count == 1 { return Set(outputs.map { PortPair(output: $0, input: inputs[0]) }) }
        guard inputs.count == outputs.count else { return nil }
        return Set(zip(outputs, inputs).map { PortPair(output: $0, input: $1) })
    }
}
