import EventLoop

/// A call of an exported object's method, and its reply.
///
/// On the connection's loop a reply is sent at once, in order with signals before and after it; from other threads it
/// is queued for the loop. Only the first reply counts. If the last reference is released without a reply, the call is
/// answered with an error, so that every caller gets a reply.
///
/// The arguments are within the method's limits. They are decoded on access, so that a handler can check the caller
/// first.
public final class MethodCall: Sendable {
    /// The unique name of the caller.
    public let sender: BusName
    public let path: ObjectPath
    public let interface: InterfaceName
    public let member: MemberName
    public let flags: Message.Flags
    /// Of the arguments.
    public let bytes: Int
    /// Among the arguments.
    public let descriptors: Int
    private let arguments: Lock<Arguments>
    private let kept: KeptUntilClosed?
    private let header: Message
    private let answer: Lock<(@Sendable (Answer) -> Void)?>

    /// What is sent to the caller.
    enum Answer: Sendable {
        case result(Result<[Value], DBusError>)
        /// Another process's reply to the same call.
        case received(ReceivedMessage)
    }

    private enum Arguments: Sendable {
        case encoded(MessageReference)
        case decoded(Result<[Value], DBusError>)
    }

    init(
        _ call: Message, sender: BusName, path: ObjectPath, interface: InterfaceName, member: MemberName,
        arguments: MessageReference, size: MessageSize,
        answer: @escaping @Sendable (Answer) -> Void
    ) {
        header = call
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        flags = call.flags
        bytes = size.bytes
        descriptors = size.descriptors
        kept = arguments.kept
        self.arguments = Lock(.encoded(arguments))
        self.answer = Lock(answer)
    }

    deinit { fail(.noReply("\(member) was not answered: an error in the service")) }

    /// The arguments, with the types of the method's description.
    public func body() throws(DBusError) -> [Value] {
        try arguments.withLock { arguments -> Result<[Value], DBusError> in
            switch arguments {
            case .decoded(let body): return body
            case .encoded(let message):
                let body = message.decoded()
                arguments = .decoded(body)
                return body
            }
        }.get()
    }

    /// Returns these values, which must have the types of the description.
    public func reply(_ body: [Value] = []) {
        send(.result(.success(body)))
    }

    public func fail(_ error: DBusError) {
        send(.result(.failure(error)))
    }

    /// Passes another process's reply to this call on: one with the caller as its destination and with ``serial``.
    public func reply(with message: ReceivedMessage) {
        send(.received(message))
    }

    /// The serial that the caller gave it. Unique among the calls of one sender.
    public var serial: UInt32 { header.serial }

    /// The call as it was received, to pass it on; nil if its arguments were decoded.
    public var message: ReceivedMessage? {
        arguments.withLock { arguments in
            guard case .encoded(let message) = arguments else { return nil }
            return ReceivedMessage(header: header, reference: message)
        }
    }

    /// Keeps an object until the call is answered, such as a counter of calls.
    public func keepUntilAnswered(_ object: any Sendable) {
        answer.withLock { answer in
            guard let send = answer else { return }
            answer = { message in withExtendedLifetime(object) { send(message) } }
        }
    }

    /// Keeps an object, such as a counter of open descriptors, until all descriptors of the call are closed, which may be after its
    /// end. Replaces the one that was kept before. Without descriptors the object is not kept.
    public func keepUntilClosed(_ object: any Sendable) {
        kept?.keep(object)
    }

    private func send(_ message: Answer) {
        let answer = answer.withLock { $0.take() }
        answer?(message)
    }
}

/// A message whose body was counted, kept until it is decoded.
final class MessageReference {
    let message: WireMessage

    init(_ message: consuming WireMessage) {
        self.message = message
    }

    var kept: KeptUntilClosed? { message.kept }

    func decoded() -> Result<[Value], DBusError> {
        do throws(DBusError) {
            return .success(try message.countedBody())
        } catch {
            return .failure(error)
        }
    }
}

// Proof: libdbus counts a message's references atomically, and one thread at a time reads the content, under the lock
// of the call that the message belongs to.
extension MessageReference: @unchecked Sendable {}
