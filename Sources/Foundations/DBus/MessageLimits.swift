import CDBus
import Glibc

/// Limits of a message's body. Checked before it is decoded.
public struct MessageLimits: Hashable, Sendable {
    /// Of all values together. Strings count with their length, other values with their size.
    public var bytes: Int
    /// Containers and variants count as one value each, in addition to their contents: small on the bus, large in
    /// memory.
    public var values: Int
    /// Descriptors attached to the message.
    public var descriptors: Int

    public init(bytes: Int = 64 << 10, values: Int = 4096, descriptors: Int = 0) {
        self.bytes = bytes
        self.values = values
        self.descriptors = descriptors
    }

    /// Bytes of dictionary keys and of the names of interfaces, members and properties: the specification's limit for
    /// names.
    public static let nameBytes = 255
    /// Bytes of an object's path: the specification has no limit, and objects have paths of some dozen bytes.
    static let pathBytes = 4096

    /// Bytes of an array as the bus writes it, with lengths and padding: more than any values within the other limits have.
    /// libdbus knows it without visiting the elements.
    var arrayBytes: Int { bytes + 16 * values }

    /// The default of methods.
    public static let call = MessageLimits()
    /// Of other programs' replies and signals. A media player's properties may contain a picture.
    public static let answer = MessageLimits(bytes: 4 << 20, values: 64 << 10, descriptors: 16)
}

/// The size of a message's body, counted without copying.
struct MessageSize: Hashable {
    var bytes = 0
    var values = 0
    var descriptors = 0

    /// The type of a dictionary entry.
    private static let entry = Int32(UInt8(ascii: "e"))

    /// Counts a message that libdbus has validated. Stops at the first value beyond the limits, so that the limits
    /// bound the work.
    /// - Parameter subject: the name for the error's message, such as the member.
    init(
        of message: borrowing WireMessage, within limits: MessageLimits, of subject: String
    ) throws(DBusError) {
        if limits.descriptors == 0, message.hasDescriptors {
            throw .invalidArgs("\(subject) takes no descriptors")
        }
        var iterator = DBusMessageIter()
        if dbus_message_iter_init(message.pointer, &iterator) != 0 {
            try count(&iterator, limits, subject)
        }
        guard let attached = message.attachedDescriptors, attached <= descriptors else {
            throw .invalidArgs("\(subject) was sent more descriptors than its values name")
        }
    }

    private mutating func count(
        _ iterator: inout DBusMessageIter, _ limits: MessageLimits, _ subject: String, inEntry: Bool = false
    ) throws(DBusError) {
        var isKey = inEntry
        while true {
            let type = dbus_message_iter_get_arg_type(&iterator)
            if type == 0 { return }
            values += 1
            switch Unicode.Scalar(UInt8(truncatingIfNeeded: type)) {
            case "s", "o", "g":
                let length = length(&iterator, atMost: limits.bytes)
                if isKey, length > MessageLimits.nameBytes {
                    throw .limitsExceeded(
                        "\(subject) takes dictionary keys of at most \(MessageLimits.nameBytes) bytes")
                }
                bytes += length
            case "h":
                bytes += 4
                descriptors += 1
            case "a":
                var inside = DBusMessageIter()
                dbus_message_iter_recurse(&iterator, &inside)
                if dictation_dbus_array_bytes(&inside) > limits.arrayBytes {
                    throw .limitsExceeded("\(subject) takes arrays of at most \(limits.arrayBytes) bytes")
                }
                try count(&inside, limits, subject)
            case "v", "r", "e":
                var inside = DBusMessageIter()
                dbus_message_iter_recurse(&iterator, &inside)
                try count(&inside, limits, subject, inEntry: type == Self.entry)
            case "y": bytes += 1
            case "n", "q": bytes += 2
            case "x", "t", "d": bytes += 8
            default: bytes += 4
            }
            try check(limits, subject)
            isKey = false
            dbus_message_iter_next(&iterator)
        }
    }

    private func check(_ limits: MessageLimits, _ subject: String) throws(DBusError) {
        if bytes > limits.bytes {
            throw .limitsExceeded("\(subject) takes at most \(limits.bytes) bytes of values")
        }
        if values > limits.values {
            throw .limitsExceeded("\(subject) takes at most \(limits.values) values")
        }
        if descriptors > limits.descriptors {
            throw .limitsExceeded("\(subject) takes at most \(limits.descriptors) descriptors")
        }
    }

    private func length(_ iterator: inout DBusMessageIter, atMost limit: Int) -> Int {
        var string: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &string)
        return string.map { strnlen($0, limit + 1) } ?? 0
    }
}
