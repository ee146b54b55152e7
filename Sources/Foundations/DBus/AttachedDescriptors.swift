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
        return header.descriptors()
    }
}

/// The fields of a message's header: "Message Format" in the D-Bus specification.
private struct HeaderFields {
    private let bytes: UnsafeRawBufferPointer
    private let isLittleEndian: Bool
    private var position = 16
    private var end = 16

    /// The code of the field UNIX_FDS.
    private static let descriptorsCode: UInt8 = 9

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        isLittleEndian = bytes.first == UInt8(ascii: "l")
        end = position
        let length = number(at: 12) ?? 0
        end = min(position + length, bytes.count)
    }

    /// The value of UNIX_FDS; 0 if there is none; nil if a field has another form than the specification's.
    mutating func descriptors() -> Int? {
        while position < end {
            align(to: 8)
            guard let code = byte(), let typeLength = byte(), typeLength == 1, let type = byte(), byte() == 0
            else { return nil }
            switch type {
            case UInt8(ascii: "u"):
                align(to: 4)
                let value = number(at: position)
                if code == Self.descriptorsCode { return value }
                position += 4
            case UInt8(ascii: "s"), UInt8(ascii: "o"):
                align(to: 4)
                guard let length = number(at: position) else { return nil }
                position += 4 + length + 1
            case UInt8(ascii: "g"):
                guard let length = byte() else { return nil }
                position += Int(length) + 1
            default: return nil
            }
        }
        return 0
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
