internal import EventLoop

/// What lasts as long as one connection to the server.
final class Session {
    let connection: Connection
    var graph = Graph()
    var watch: EventLoop.Watch?
    /// Questions that the server has not answered yet.
    var roundTrips: [Int32: RoundTrip] = [:]
    /// The server has told all that was there when the connection began,
    var isEnumerated = false
    /// and all about it.
    var isKnown = false

    init(_ connection: Connection) {
        self.connection = connection
    }

    struct RoundTrip {
        var purpose: Purpose
        var deadline: EventLoop.Timer
    }

    enum Purpose {
        /// Everything in the graph has been told.
        case enumerate
        /// These nodes have told everything about themselves.
        case complete([ObjectID])
        /// A stream's node has left the graph.
        case release(CheckedContinuation<Void, Never>)
        /// The server lives.
        case check
    }

    var isChecking: Bool {
        roundTrips.values.contains { if case .check = $0.purpose { true } else { false } }
    }

    /// To be called when something was told: notes when the graph is known.
    func settle() {
        let isCompleting = roundTrips.values.contains {
            if case .complete = $0.purpose { true } else { false }
        }
        if isEnumerated && !isCompleting { isKnown = true }
    }

    /// Ends the connection and everything that waited for it.
    func end() {
        watch?.cancel()
        for roundTrip in roundTrips.values {
            roundTrip.deadline.cancel()
            // A connection that ends takes its nodes with it.
            if case .release(let continuation) = roundTrip.purpose { continuation.resume() }
        }
        roundTrips = [:]
        connection.close()
    }
}
