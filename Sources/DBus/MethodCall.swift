import EventLoop

/// A call of a method of an exported object, and the way to answer it.
///
/// On the connection's loop an answer is sent at once, in order with the signals emitted before and after it; from
/// elsewhere, as soon as the loop comes to it. The first answer counts. A call that nobody answers is answered with
/// an error when nobody refers to it any more, so that no caller waits in vain.
public final class MethodCall: Sendable {
    /// The unique name of the caller.
    public let sender: BusName
    public let path: ObjectPath
    public let interface: InterfaceName
    public let member: MemberName
    public let body: [Value]
    public let flags: Message.Flags
    private let answer: Lock<(@Sendable (Result<[Value], DBusError>) -> Void)?>

    init(
        _ call: Message, sender: BusName, path: ObjectPath, interface: InterfaceName, member: MemberName,
        answer: @escaping @Sendable (Result<[Value], DBusError>) -> Void
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        body = call.body
        flags = call.flags
        self.answer = Lock(answer)
    }

    deinit { fail(.noReply("\(member) was not answered: a fault of the service")) }

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
