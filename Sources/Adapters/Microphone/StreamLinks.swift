internal import EventLoop

/// The streams that the session manager leaves unlinked, and the links that a connection makes for them.
///
/// A stream waits first. It is linked if it is still unlinked then, until another client links it.
final class StreamLinks {
    private var waits: [ObjectID: Wait] = [:]

    private struct Wait {
        var stream: UnlinkedStream
        /// When it will be linked, or when that will be tried again.
        var timer: EventLoop.Timer?
        var isOver = false
    }

    /// Updates the unlinked streams. If a stream is to be linked to other ports, its wait begins again.
    func follow(_ unlinked: [UnlinkedStream]) {
        for (node, wait) in waits where !unlinked.contains(wait.stream) {
            wait.timer?.cancel()
            waits[node] = nil
        }
        for stream in unlinked where waits[stream.node] == nil { waits[stream.node] = Wait(stream: stream) }
    }

    /// The streams for which no timer runs and whose links are missing.
    func unscheduled(hasLinks: (Set<PortPair>) -> Bool) -> [ObjectID] {
        waits.filter { $0.value.timer == nil && !($0.value.isOver && hasLinks($0.value.stream.links ?? [])) }
            .map(\.key)
    }

    func schedule(_ node: ObjectID, _ timer: EventLoop.Timer) { waits[node]?.timer = timer }

    /// A stream that waits, or is linked by this connection.
    func stream(_ node: ObjectID) -> UnlinkedStream? { waits[node]?.stream }

    /// Whether links were made for the stream as it is.
    func hasBegun(_ node: ObjectID) -> Bool { waits[node]?.isOver ?? false }

    /// The wait is over. False if the stream's ports do not fit.
    func begin(_ node: ObjectID) -> Bool {
        guard let stream = waits[node]?.stream else { return false }
        waits[node] = Wait(stream: stream, isOver: true)
        return stream.links != nil
    }

    /// The links that should be there.
    var wanted: Set<PortPair> {
        waits.values.filter(\.isOver).reduce(into: []) { $0.formUnion($1.stream.links ?? []) }
    }
}
