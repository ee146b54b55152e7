import EventLoop

/// A call of a method of an exported object, and the way to answer it.
///
/// On the connection's loop an answer is sent at once, in order with the signals emitted before and after it; from
/// elsewhere, as soon as the loop comes to it. The first answer counts. A call that nobody answers is answered with
/// an error when nobody refers to it any more, so that no caller waits in vain.
///
/// The arguments are within the limits of the method, and are decoded when somebody asks for them: a handler finds out
/// first who is calling.
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
    private let answer: Lock<(@Sendable (Result<[Value], DBusError>) -> Void)?>

    private enum Arguments: Sendable {
        case encoded(MessageReference)
        case decoded(Result<[Value], DBusError>)
    }

    init(
        _ call: Message, sender: BusName, path: ObjectPath, interface: InterfaceName, member: MemberName,
        arguments: MessageReference, size: MessageSize,
        answer: @escaping @Sendable (Result<[Value], DBusError>) -> Void
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        flags = call.flags
        bytes = size.bytes
        descriptors = size.descriptors
        // Decoding duplicates the descriptors that are arguments; dropping the message closes all others.
        self.arguments = Lock(
            arguments.hasDescriptors ? .decoded(arguments.decoded()) : .encoded(arguments))
        self.answer = Lock(answer)
    }

    deinit { fail(.noReply("\(member) was not answered: a fault of the service")) }

    /// The arguments, of the types that the description of the method says.
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

    /// Returns these values, which must be of the types that the description says.
    public func reply(_ body: [Value] = []) {
        send(.success(body))
    }

    public func fail(_ error: DBusError) {
        send(.failure(error))
    }

    /// Keeps an object until the call is answered: what counts the call, for example.
    public func keepUntilAnswered(_ object: any Sendable) {
        answer.withLock { answer in
            guard let send = answer else { return }
            answer = { result in withExtendedLifetime(object) { send(result) } }
        }
    }

    private func send(_ result: Result<[Value], DBusError>) {
        let answer = answer.withLock { $0.take() }
        answer?(result)
    }
}

/// A message whose body was counted, kept until it is decoded.
final class MessageReference {
    private let message: WireMessage

    init(_ message: borrowing WireMessage) {
        self.message = message.copy()
    }

    var hasDescriptors: Bool { message.hasDescriptors }

    func decoded() -> Result<[Value], DBusError> {
        do throws(DBusError) {
            return .success(try message.countedBody())
        } catch {
            return .failure(error)
        }
    }
}

// The count of references of a libdbus message is atomic, and its content is read by one thread at a time, under the
// lock of the call that it belongs to.
extension MessageReference: @unchecked Sendable {}
