import CDBus
import Glibc

/// A received message that has not been handled yet.
struct WaitingMessage {
    enum Content {
        case body(MessageReference)
        /// The error for a call that is not handled. Its body is released already.
        case refused(DBusError)
    }

    let header: Message
    let content: Content
}

extension WireMessage {
    /// The approximate bytes in memory, found without visiting the elements of arrays. More values than that outside of
    /// arrays count as the most.
    /// - Parameter most: the size at which counting ends.
    func bytes(atMost most: Int) -> Int {
        var counter = ByteCounter(most: most)
        counter.bytes += dbus_message_get_path(pointer).map { strnlen($0, most) } ?? 0
        var iterator = DBusMessageIter()
        if dbus_message_iter_init(pointer, &iterator) != 0 { counter.count(&iterator) }
        return min(counter.bytes, most)
    }
}

private struct ByteCounter {
    let most: Int
    /// The message itself, and its header.
    var bytes = 1024
    private var values = 0

    private static let mostValues = 256

    init(most: Int) { self.most = most }

    mutating func count(_ iterator: inout DBusMessageIter) {
        while bytes < most {
            let type = dbus_message_iter_get_arg_type(&iterator)
            if type == 0 { return }
            values += 1
            if values > Self.mostValues { bytes = most }
            switch Unicode.Scalar(UInt8(truncatingIfNeeded: type)) {
            case "s", "o", "g":
                var string: UnsafePointer<CChar>?
                dbus_message_iter_get_basic(&iterator, &string)
                bytes += string.map { strnlen($0, most) } ?? 0
            case "a":
                var inside = DBusMessageIter()
                dbus_message_iter_recurse(&iterator, &inside)
                bytes += Int(dictation_dbus_array_bytes(&inside))
            case "v", "r":
                var inside = DBusMessageIter()
                dbus_message_iter_recurse(&iterator, &inside)
                count(&inside)
            default: bytes += 8
            }
            dbus_message_iter_next(&iterator)
        }
    }
}
