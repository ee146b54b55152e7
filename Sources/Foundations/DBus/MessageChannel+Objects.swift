import CDBus
import EventLoop

/// Exported objects, and the signals that they send.
extension MessageChannel {
    /// Sends a signal: to one connection, or to all subscribers.
    public func emit(
        path: ObjectPath, interface: InterfaceName, member: MemberName, _ body: [Value] = [],
        to destination: BusName? = nil
    ) throws(DBusError) {
        var message = Message(.signal)
        message.flags = .noReplyExpected
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        message.body = body
        try send(message)
    }

    /// Exports an object, replacing the one at the same path.
    ///
    /// The connection itself replies to unknown members, and implements `Introspectable`, `Peer` and `Properties` from
    /// the description.
    public func export(
        _ path: ObjectPath, interfaces: [InterfaceDescription], handler: any ObjectHandler
    ) {
        objects[path] = ObjectTree.Object(interfaces: interfaces, handler: handler)
    }

    public func unexport(_ path: ObjectPath) {
        objects[path] = nil
    }

    /// Sends PropertiesChanged, for each property in the way its description says.
    /// - Parameters:
    ///   - changed: the new values.
    ///   - invalidated: properties that are sent without a value.
    ///   - destination: the receiver; by default all connections of the bus.
    public func propertiesChanged(
        path: ObjectPath, interface: InterfaceName, changed: [BusText: Value], invalidated: [BusText] = [],
        to destination: BusName? = nil
    ) throws(DBusError) {
        let described = objects[path]?.interfaces.first { $0.name == interface }?.properties ?? []
        func isSignalled(_ name: BusText, _ change: InterfaceDescription.Property.Change) -> Bool {
            described.contains { BusText($0.name) == name && $0.change == change }
        }
        let values = changed.filter { isSignalled($0.key, .value) }
        let names =
            changed.keys.filter { isSignalled($0, .invalidates) }
            + invalidated.filter { isSignalled($0, .value) || isSignalled($0, .invalidates) }
        if values.isEmpty, names.isEmpty { return }
        try emit(
            path: path, interface: .properties, member: "PropertiesChanged",
            [.string(interface.rawValue), Value(values), Value(names.sorted())], to: destination)
    }

    /// Replies to a call, or calls the object's handler. The body is decoded only after the member, its types and its
    /// limits were checked.
    func dispatch(_ header: Message, _ body: MessageReference) {
        do throws(DBusError) {
            let target = try objects.target(of: header, signature: body.message.signature)
            let size = try MessageSize(
                of: body.message, within: target.method.limits, of: target.method.name.rawValue)
            guard let path = header.path, let sender = sender(of: header) else { return }
            let call = methodCall(
                header, target, sender: sender, path: path, arguments: body, size: size)
            try answer(call, target)
        } catch {
            reply(to: header, .failure(error))
        }
    }

    /// The error for a call whose sender has too many open descriptors.
    func refusal(ofDescriptorsIn header: Message, _ body: MessageReference) -> DBusError {
        if let target = try? objects.target(of: header, signature: body.message.signature),
            target.method.limits.descriptors == 0
        {
            return .invalidArgs("\(target.method.name) takes no descriptors")
        }
        return .limitsExceeded(
            "too many descriptors of this connection are open: wait until they are closed")
    }

    /// The error for a call that cannot be handled, such as one that is larger than its method takes.
    func refusal(ofLarge header: Message, _ body: MessageReference) -> DBusError? {
        do throws(DBusError) {
            let target = try objects.target(of: header, signature: body.message.signature)
            _ = try MessageSize(
                of: body.message, within: target.method.limits, of: target.method.name.rawValue)
            return nil
        } catch {
            return error
        }
    }

    /// Refuses a call.
    func refuse(_ call: Message, _ error: DBusError) {
        reply(to: call, .failure(error))
    }

    private func answer(_ call: MethodCall, _ target: ObjectTree.Target) throws(DBusError) {
        switch (target.interface.name, target.method.name) {
        case (.peer, "GetMachineId"):
            call.reply([.string(try machineID())])
        case (.peer, _):
            call.reply()
        case (.introspectable, _):
            call.reply([
                .string(
                    Introspection.xml(
                        objects.interfaces(at: call.path), children: objects.children(of: call.path)))
            ])
        case (.properties, _):
            guard let object = target.object else { return call.reply() }
            let properties = PropertiesCall(object: object, call: call)
            object.handler.prepareProperties(for: call) { result in
                do throws(DBusError) {
                    try result.get()
                    call.reply(try properties.answer())
                } catch {
                    call.fail(error)
                }
            }
        default:
            target.object?.handler.handle(call)
        }
    }

    private func methodCall(
        _ header: Message, _ target: ObjectTree.Target, sender: BusName, path: ObjectPath,
        arguments: MessageReference, size: MessageSize
    ) -> MethodCall {
        MethodCall(
            header, sender: sender, path: path, interface: target.interface.name, member: target.method.name,
            arguments: arguments, size: size
        ) { [weak self, method = target.method, header] answer in
            switch answer {
            case .result(let result):
                let result = result.checked(against: method)
                EventLoopActor.executeNowIfCurrent { [weak self] in self?.reply(to: header, result) }
            case .received(let message):
                EventLoopActor.executeNowIfCurrent { [weak self] in self?.reply(to: header, message) }
            }
        }
    }

    /// Sending fails only while the connection is closing. Then nobody waits.
    private func reply(to call: Message, _ message: ReceivedMessage) {
        guard !call.flags.contains(.noReplyExpected) else { return }
        _ = try? send(message.reference.message.copy())
    }

    private func machineID() throws(DBusError) -> String {
        guard let id = dbus_try_get_local_machine_id(nil) else { throw .failed("the machine has no ID") }
        defer { dbus_free(id) }
        return String(cString: id)
    }

    private func reply(to call: Message, _ result: Result<[Value], DBusError>) {
        guard !call.flags.contains(.noReplyExpected) else { return }
        do {
            try send(call.reply(result))
        } catch {
            // A reply that cannot be sent is replaced by an error. On a closed connection there is no receiver.
            _ = try? send(call.reply(.failure(error)))
        }
    }
}

extension Message {
    fileprivate func reply(_ result: Result<[Value], DBusError>) -> Message {
        var reply: Message
        switch result {
        case .success(let body):
            reply = Message(.methodReturn)
            reply.body = body
        case .failure(let error):
            reply = Message(.error)
            reply.errorName = error.name
            reply.body = [.string(error.message.replacing("\0", with: "\u{FFFD}"))]
        }
        reply.flags = .noReplyExpected
        reply.replySerial = serial
        reply.destination = sender
        return reply
    }
}

extension Result<[Value], DBusError> {
    /// An error instead of values whose types differ from the method's description.
    fileprivate func checked(against method: InterfaceDescription.Method) -> Self {
        guard case .success(let returned) = self else { return self }
        let types = Signature(returned.map(\.signature))
        if types == method.output.signature { return self }
        return .failure(
            .failed(
                "\(method.name) is described to return (\(method.output.signature)), but returned (\(types)): "
                    + "an error in the service"))
    }
}
