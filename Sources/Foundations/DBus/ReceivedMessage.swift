/// A message to pass on. Its body is never decoded.
public struct ReceivedMessage: Sendable {
    /// The message without its body.
    public let header: Message
    let reference: MessageReference
}

extension Connection {
    /// Sends a message that was received from a peer. The bus replaces its sender.
    public func send(_ message: ReceivedMessage) throws(DBusError) {
        try send(message.reference.message.copy())
    }
}
