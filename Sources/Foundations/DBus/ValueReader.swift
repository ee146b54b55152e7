import CDBus
import EventLoop

/// Reads values from a message that libdbus has validated and `MessageSize` has counted.
struct ValueReader {
    /// See ``KeptUntilClosed``.
    let kept: KeptUntilClosed?

    /// The values from here to the end of the container or message.
    func values(_ iterator: inout DBusMessageIter) throws(DBusError) -> [Value] {
        var values: [Value] = []
        while true {
            let type = dbus_message_iter_get_arg_type(&iterator)
            if type == 0 { return values }
            values.append(try value(&iterator, type: type))
            dbus_message_iter_next(&iterator)
        }
    }

    private func value(_ iterator: inout DBusMessageIter, type: Int32) throws(DBusError) -> Value {
        switch Unicode.Scalar(UInt8(truncatingIfNeeded: type)) {
        case "y": return .byte(basic(&iterator, 0))
        case "b": return .bool(basic(&iterator, dbus_bool_t(0)) != 0)
        case "n": return .int16(basic(&iterator, 0))
        case "q": return .uint16(basic(&iterator, 0))
        case "i": return .int32(basic(&iterator, 0))
        case "u": return .uint32(basic(&iterator, 0))
        case "x": return .int64(basic(&iterator, 0))
        case "t": return .uint64(basic(&iterator, 0))
        case "d": return .double(basic(&iterator, 0))
        case "s": return .string(BusText(string(&iterator)))
        case "o": return .objectPath(ObjectPath(unchecked: string(&iterator)))
        case "g": return .signature(Signature(unchecked: string(&iterator)))
        case "h":
            // libdbus has duplicated it, so it is ours to close.
            let descriptor: Int32 = basic(&iterator, -1)
            guard descriptor >= 0 else { throw .limitsExceeded("no free descriptor") }
            return .descriptor(Descriptor(foreign: descriptor, of: kept?.sender?.rawValue, keeping: kept))
        case "v":
            var content = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &content)
            return .variant(try value(&content, type: dbus_message_iter_get_arg_type(&content)))
        case "r":
            var members = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &members)
            return .structure(try values(&members))
        case "a":
            return try array(&iterator)
        default:
            throw .invalidSignature("a value of unknown type")
        }
    }

    private func array(_ iterator: inout DBusMessageIter) throws(DBusError) -> Value {
        let type = signature(&iterator).dropFirst()
        var elements = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &elements)
        guard type.first == "{" else {
            return .array(try values(&elements), of: Signature(unchecked: String(type)))
        }
        var entries: [Value: Value] = [:]
        while dbus_message_iter_get_arg_type(&elements) != 0 {
            var entry = DBusMessageIter()
            dbus_message_iter_recurse(&elements, &entry)
            let pair = try values(&entry)
            entries[pair[0]] = pair[1]
            dbus_message_iter_next(&elements)
        }
        let entryType = type.dropFirst().dropLast()
        return .dictionary(
            entries, key: Signature(unchecked: String(entryType.prefix(1))),
            value: Signature(unchecked: String(entryType.dropFirst())))
    }

    private func signature(_ iterator: inout DBusMessageIter) -> String {
        let signature = dbus_message_iter_get_signature(&iterator)
        defer { dbus_free(signature) }
        return signature.map { String(cString: $0) } ?? ""
    }

    private func string(_ iterator: inout DBusMessageIter) -> String {
        let string: UnsafePointer<CChar>? = basic(&iterator, nil)
        return string.map { String(cString: $0) } ?? ""
    }

    /// A value of the type that libdbus's iterator `initial` has.
    private func basic<T: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ initial: T) -> T {
        var value = initial
        dbus_message_iter_get_basic(&iterator, &value)
        return value
    }
}
