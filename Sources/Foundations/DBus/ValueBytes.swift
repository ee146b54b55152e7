import CDBus

/// Values as bytes, for this process and its successors on the same machine.
public enum ValueBytes {
    /// Throws if a value is not valid or has a descriptor.
    public static func encode(_ values: [Value]) throws(DBusError) -> [UInt8] {
        var message = Message(.signal)
        // A message without a header is not valid.
        message.path = "/"
        message.interface = .peer
        message.member = "Values"
        message.body = values
        // Before the message, which would duplicate them.
        guard !values.contains(where: \.hasDescriptors) else {
            throw .invalidArgs("descriptors have no bytes")
        }
        let wire = try WireMessage.encoding(message)
        dbus_message_set_serial(wire.pointer, 1)
        var bytes: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard dbus_message_marshal(wire.pointer, &bytes, &count) != 0, let bytes else {
            throw .noMemory("values")
        }
        defer { dbus_free(bytes) }
        return bytes.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
            Array(UnsafeBufferPointer(start: $0, count: Int(count)))
        }
    }

    /// Throws if the bytes are not those of values within the limits.
    public static func decode(_ bytes: [UInt8], within limits: MessageLimits) throws(DBusError) -> [Value] {
        guard let count = Int32(exactly: bytes.count), count > 0 else {
            throw .invalidArgs("there are no values")
        }
        let pointer = bytes.withUnsafeBytes { buffer in
            dbus_message_demarshal(
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self), count, nil)
        }
        guard let pointer else { throw .invalidArgs("the values are not valid") }
        return try WireMessage(owning: pointer).body(within: limits, of: "the values")
    }
}
