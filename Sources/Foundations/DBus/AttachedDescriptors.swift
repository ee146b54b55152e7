import CDBus

extension WireMessage {
    /// The number of descriptors that are attached, whether or not a value refers to them; nil if the header has fields that
    /// libdbus does not know.
    ///
    /// libdbus does not tell the number, but writes it into the header. Call it for messages whose values were counted: it copies
    /// the message.
    var attachedDescriptors: Int? {
        guard hasDescriptors else { return 0 }
        var bytes: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard dbus_message_marshal(pointer, &bytes, &count) != 0, let bytes else { return nil }
        defer { dbus_free(bytes) }
        var header = HeaderFields(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        return header.read()?.descriptors
    }
}

extension WireMessage {
    /// Bytes on the wire, with the whole header; nil if memory is short. Call it for messages of limited size: it copies the
    /// message.
    var encodedBytes: Int? {
        var bytes: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard dbus_message_marshal(pointer, &bytes, &count) != 0, let bytes else { return nil }
        dbus_free(bytes)
        return Int(count)
    }
}

/// The fields of a message's header: "Message Format" in the D-Bus specification.
struct HeaderFields {
    /// Of the part of a header that says how long the rest is.
    static let fixedBytes = 16

    private let bytes: UnsafeRawBufferPointer
    private let isLittleEndian: Bool
    private var position = 16
    private var end = 16

    /// The code of the field UNIX_FDS.
    private static let descriptorsCode: UInt8 = 9
    /// The code of the field SENDER.
    private static let senderCode: UInt8 = 7

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        isLittleEndian = bytes.first == UInt8(ascii: "l")
        end = position
        let length = number(at: 12) ?? 0
        end = min(position + length, bytes.count)
    }

    /// Bytes of the header, and of the whole message; nil if there are too few bytes to know.
    var lengths: (header: Int, message: Int)? {
        guard let body = number(at: 4), let fields = number(at: 12) else { return nil }
        let header = (Self.fixedBytes + fields + 7) / 8 * 8
        return (header, header + body)
    }

    /// The value of UNIX_FDS, 0 if there is none, and that of SENDER; nil if a field has another form than the specification's.
    mutating func read() -> (descriptors: Int, sender: String?)? {
        var descriptors = 0
        var sender: String?
        while position < end {
            align(to: 8)
            guard let code = byte(), let typeLength = byte(), typeLength == 1, let type = byte(), byte() == 0
            else { return nil }
            switch type {
            case UInt8(ascii: "u"):
                align(to: 4)
                let value = number(at: position)
                if code == Self.descriptorsCode { descriptors = value ?? 0 }
                position += 4
            case UInt8(ascii: "s"), UInt8(ascii: "o"):
                align(to: 4)
                guard let length = number(at: position) else { return nil }
                let start = position + 4
                position = start + length + 1
                if code == Self.senderCode, position <= end {
                    sender = String(decoding: bytes[start..<start + length], as: UTF8.self)
                }
            case UInt8(ascii: "g"):
                guard let length = byte() else { return nil }
                position += Int(length) + 1
            default: return nil
            }
        }
        return (descriptors, sender)
    }

    private mutating func align(to size: Int) {
        position = (position + size - 1) / size * size
    }

    private mutating func byte() -> UInt8? {
        guard position < end else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    private func number(at offset: Int) -> Int? {
        guard offset + 4 <= bytes.count else { return nil }
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return Int(isLittleEndian ? UInt32(littleEndian: value) : UInt32(bigEndian: value))
    }
}
