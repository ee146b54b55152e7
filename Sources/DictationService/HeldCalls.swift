import DBus
import DictationCore

/// Calls of connections whose Start is being examined: they wait behind it, because calls take effect in the order of
/// their arrival.
struct HeldCalls {
    /// Connections at the same time, each with one examination.
    static let mostConnections = 32
    /// Calls of a connection.
    static let mostCalls = 64

    private var calls: [BusName: [@Sendable () -> Void]] = [:]

    var isEmpty: Bool { calls.isEmpty }

    func holds(_ name: BusName) -> Bool { calls[name] != nil }

    /// From now on, this connection's calls wait.
    mutating func hold(_ name: BusName) throws(Refusal) {
        guard calls.count < Self.mostConnections else {
            throw Refusal(.limitExceeded, "Too many grammars are being examined: try again in a moment.")
        }
        calls[name] = []
    }

    mutating func append(_ call: @escaping @Sendable () -> Void, of name: BusName) throws(Refusal) {
        guard let waiting = calls[name]?.count, waiting < Self.mostCalls else {
            throw Refusal(.limitExceeded, "Too many calls wait for Start: wait for its answer.")
        }
        calls[name]?.append(call)
    }

    /// The calls that waited, in order; nil where the connection has gone.
    mutating func release(_ name: BusName) -> [@Sendable () -> Void]? {
        calls.removeValue(forKey: name)
    }
}
