import CDBus
import EventLoop

/// Appends values to messages. Everything is validated here first, because libdbus ends the process and a bus drops the
/// connection if a value is invalid.
struct ValueWriter {
    /// The specification's limits in bytes. Padding is not counted; what is that close to a limit is refused anyway.
    private static let longestMessage = 1 << 27
    private static let longestArray = 1 << 26
    private static let deepestNesting = 64

    private var bytes = 0
    private var depth = 0

    mutating func append(_ value: Value, to iterator: inout DBusMessageIter) throws(DBusError) {
        switch value {
        case .byte(let byte): try append(byte, as: "y", to: &iterator)
        case .bool(let bool): try append(dbus_bool_t(bool ? 1 : 0), as: "b", to: &iterator)
        case .int16(let number): try append(number, as: "n", to: &iterator)
        case .uint16(let number): try append(number, as: "q", to: &iterator)
        case .int32(let number): try append(number, as: "i", to: &iterator)
        case .uint32(let number): try append(number, as: "u", to: &iterator)
        case .int64(let number): try append(number, as: "x", to: &iterator)
        case .uint64(let number): try append(number, as: "t", to: &iterator)
        case .double(let number): try append(number, as: "d", to: &iterator)
        case .descriptor(let descriptor): try append(descriptor.rawValue, as: "h", to: &iterator)
        case .string(let string):
            if string.string.containsNUL {
                throw .invalidArgs("a string with a NUL character cannot be sent")
            }
            try append(string.string, as: "s", to: &iterator)
        case .objectPath(let path): try append(path.rawValue, as: "o", to: &iterator)
        case .signature(let signature): try append(signature.rawValue, as: "g", to: &iterator)
        case .array(let elements, let type): try append(elements, of: type, to: &iterator)
        case .dictionary(let entries, let key, let value): try append(entries, key, value, to: &iterator)
        case .structure(let members):
            try inContainer("r", nil, of: &iterator) { writer, members_ throws(DBusError) in
                for member in members { try writer.append(member, to: &members_) }
            }
        case .variant(let content):
            let signature = content.signature
            guard signature.isSingle else {
                throw .invalidSignature("\"\(signature)\" is not a complete type")
            }
            try inContainer("v", signature, of: &iterator) { writer, inside throws(DBusError) in
                try writer.append(content, to: &inside)
            }
        }
    }

    private mutating func append(
        _ elements: [Value], of type: Signature, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        guard type.isSingle else { throw .invalidSignature("\"\(type)\" is not a complete type") }
        try inArray(of: type, to: &iterator) { writer, inside throws(DBusError) in
            for element in elements {
                try Self.check(element, is: type)
                try writer.append(element, to: &inside)
            }
        }
    }

    private mutating func append(
        _ entries: [Value: Value], _ keyType: Signature, _ valueType: Signature,
        to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        guard keyType.isBasic, valueType.isSingle else {
            throw .invalidSignature("\"{\(keyType)\(valueType)}\" is not a dictionary's entry")
        }
        let entryType = Signature(unchecked: "{\(keyType)\(valueType)}")
        try inArray(of: entryType, to: &iterator) { writer, array throws(DBusError) in
            for (key, value) in Self.inOrder(entries) {
                try Self.check(key, is: keyType)
                try Self.check(value, is: valueType)
                try writer.inContainer("e", nil, of: &array) { writer, entry throws(DBusError) in
                    try writer.append(key, to: &entry)
                    try writer.append(value, to: &entry)
                }
            }
        }
    }

    /// The entries, sorted by key if the keys are strings.
    private static func inOrder(_ entries: [Value: Value]) -> [(key: Value, value: Value)] {
        entries.sorted { one, other in
            if case (.string(let one), .string(let other)) = (one.key, other.key) {
                one < other
            } else {
                false
            }
        }
    }

    private static func check(_ value: Value, is type: Signature) throws(DBusError) {
        if value.signature != type {
            throw .invalidSignature(
                "element of type \"\(value.signature)\" among those of type \"\(type)\"")
        }
    }

    private mutating func append(
        _ string: String, as type: Unicode.Scalar, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        try count(string.utf8.count)
        let appended = string.withCString { string in
            withUnsafePointer(to: string) { dbus_message_iter_append_basic(&iterator, Int32(type.value), $0) }
        }
        if appended == 0 { throw .noMemory("a string of \(string.utf8.count) bytes") }
    }

    private mutating func append<Number>(
        _ number: Number, as type: Unicode.Scalar, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        try count(MemoryLayout<Number>.size)
        let appended = withUnsafePointer(to: number) {
            dbus_message_iter_append_basic(&iterator, Int32(type.value), $0)
        }
        // Appending duplicates a descriptor, which fails if none is free or it is not open.
        if appended == 0 {
            throw type == "h" ? .limitsExceeded("no free descriptor") : .noMemory("a number")
        }
    }

    private mutating func count(_ more: Int) throws(DBusError) {
        bytes += more
        if bytes > Self.longestMessage { throw .limitsExceeded("a message of more than 128 MiB") }
    }

    private mutating func inArray(
        of type: Signature, to iterator: inout DBusMessageIter,
        _ body: (inout ValueWriter, inout DBusMessageIter) throws(DBusError) -> Void
    ) throws(DBusError) {
        let before = bytes
        try inContainer("a", type, of: &iterator) { writer, inside throws(DBusError) in
            try body(&writer, &inside)
            if writer.bytes - before > Self.longestArray {
                throw .limitsExceeded("an array of more than 64 MiB")
            }
        }
    }

    private mutating func inContainer(
        _ type: Unicode.Scalar, _ content: Signature?, of iterator: inout DBusMessageIter,
        _ body: (inout ValueWriter, inout DBusMessageIter) throws(DBusError) -> Void
    ) throws(DBusError) {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepestNesting else { throw .limitsExceeded("values nested more than 64 deep") }
        var inside = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, Int32(type.value), content?.rawValue, &inside) != 0
        else { throw .noMemory("a container") }
        do throws(DBusError) {
            try body(&self, &inside)
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inside)
            throw error
        }
        if dbus_message_iter_close_container(&iterator, &inside) == 0 { throw .noMemory("a container") }
    }
}
