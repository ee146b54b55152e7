import CDBus
import EventLoop
import Glibc

/// A message of libdbus, released when it goes out of scope.
///
/// The last reference to a message closes its descriptors, which can block. So a message with descriptors is released on one of
/// the ``ClosingThreads``.
struct WireMessage: ~Copyable {
    let pointer: OpaquePointer
    /// Of a received message with descriptors.
    let kept: KeptUntilClosed?

    /// Takes ownership of a reference.
    init(owning pointer: OpaquePointer) {
        self.init(owning: pointer, nil)
    }

    /// Takes ownership of a reference to a message of the bus.
    init(received pointer: OpaquePointer) {
        self.init(
            owning: pointer, dbus_message_contains_unix_fds(pointer) != 0 ? KeptUntilClosed() : nil)
    }

    private init(owning pointer: OpaquePointer, _ kept: KeptUntilClosed?) {
        self.pointer = pointer
        self.kept = kept
    }

    deinit {
        guard dbus_message_contains_unix_fds(pointer) != 0 else { return dbus_message_unref(pointer) }
        let reference = MessagePointer(pointer: pointer)
        ClosingThreads.shared.perform(for: kept?.sender?.rawValue) { [kept] in
            withExtendedLifetime(kept) { dbus_message_unref(reference.pointer) }
        }
    }

    /// Converts a message to libdbus's form.
    static func encoding(_ message: Message) throws(DBusError) -> WireMessage {
        let wire = try WireMessage(kind: message.kind)
        try wire.setHeader(message)
        try wire.append(message.body)
        return wire
    }

    private init(kind: Message.Kind) throws(DBusError) {
        guard let pointer = dbus_message_new(kind.rawValue) else { throw .noMemory("a message") }
        self.init(owning: pointer, nil)
    }

    private func setHeader(_ message: Message) throws(DBusError) {
        let flags = message.flags
        dbus_message_set_no_reply(pointer, flags.contains(.noReplyExpected) ? 1 : 0)
        dbus_message_set_auto_start(pointer, flags.contains(.noAutoStart) ? 0 : 1)
        dbus_message_set_allow_interactive_authorization(
            pointer, flags.contains(.interactiveAuthorization) ? 1 : 0)
        // Names are valid by their types, so this fails only if memory is short.
        let isComplete =
            [
                message.sender.map { dbus_message_set_sender(pointer, $0.rawValue) },
                message.destination.map { dbus_message_set_destination(pointer, $0.rawValue) },
                message.path.map { dbus_message_set_path(pointer, $0.rawValue) },
                message.interface.map { dbus_message_set_interface(pointer, $0.rawValue) },
                message.member.map { dbus_message_set_member(pointer, $0.rawValue) },
                message.errorName.map { dbus_message_set_error_name(pointer, $0.rawValue) },
                message.replySerial.map { dbus_message_set_reply_serial(pointer, $0) },
            ].allSatisfy { $0 != 0 }
        if !isComplete { throw .noMemory("a message's header") }
    }

    private func append(_ body: [Value]) throws(DBusError) {
        let signature = Signature(body.map(\.signature))
        guard Signature(signature.rawValue) != nil else {
            throw .invalidSignature("(\(signature)) is not a valid signature")
        }
        var writer = ValueWriter()
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(pointer, &iterator)
        for value in body { try writer.append(value, to: &iterator) }
    }

    /// The message without its body; nil for an unknown kind, which is to be ignored.
    var header: Message? {
        guard let kind = Message.Kind(rawValue: dbus_message_get_type(pointer)) else { return nil }
        var message = Message(kind)
        if dbus_message_get_no_reply(pointer) != 0 { message.flags.insert(.noReplyExpected) }
        if dbus_message_get_auto_start(pointer) == 0 { message.flags.insert(.noAutoStart) }
        if dbus_message_get_allow_interactive_authorization(pointer) != 0 {
            message.flags.insert(.interactiveAuthorization)
        }
        message.serial = dbus_message_get_serial(pointer)
        let replySerial = dbus_message_get_reply_serial(pointer)
        message.replySerial = replySerial == 0 ? nil : replySerial
        message.sender = name(dbus_message_get_sender)
        message.destination = name(dbus_message_get_destination)
        message.path = path
        message.interface = name(dbus_message_get_interface)
        message.member = name(dbus_message_get_member)
        message.errorName = name(dbus_message_get_error_name)
        return message
    }

    /// The types of the body, available before the body is read.
    var signature: Signature { Signature(unchecked: String(cString: dbus_message_get_signature(pointer))) }

    /// Whether descriptors are attached, even if the body does not refer to them.
    var hasDescriptors: Bool { dbus_message_contains_unix_fds(pointer) != 0 }

    /// The values, if they are within the limits.
    func body(within limits: MessageLimits, of subject: String) throws(DBusError) -> [Value] {
        _ = try MessageSize(of: self, within: limits, of: subject)
        return try countedBody()
    }

    /// The values of a counted message.
    func countedBody() throws(DBusError) -> [Value] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(pointer, &iterator) != 0 else { return [] }
        return try ValueReader(kept: kept).values(&iterator)
    }

    /// Asks for a reply. A message that was sent cannot be changed any more, and needs no change.
    func expectReply() {
        if dbus_message_get_no_reply(pointer) != 0 { dbus_message_set_no_reply(pointer, 0) }
    }

    /// Another reference to the same message.
    func copy() -> WireMessage {
        dbus_message_ref(pointer)
        return WireMessage(owning: pointer, kept)
    }

    /// Nil if it is longer than any path that this process could have. The bus allows paths of 32 MiB and more.
    private var path: ObjectPath? {
        guard let path = dbus_message_get_path(pointer),
            strnlen(path, MessageLimits.pathBytes + 1) <= MessageLimits.pathBytes
        else { return nil }
        return ObjectPath(unchecked: String(cString: path))
    }

    private func name<Name: ValidatedString>(
        _ get: (OpaquePointer?) -> UnsafePointer<CChar>?
    ) -> Name? {
        get(pointer).flatMap { Name(String(cString: $0)) }
    }
}

// Proof: libdbus counts references atomically, and this one belongs to the owner of the value.
private struct MessagePointer: @unchecked Sendable {
    let pointer: OpaquePointer
}
