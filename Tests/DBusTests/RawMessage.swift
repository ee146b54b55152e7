/// A message as bytes.
enum RawMessage {
    /// - Parameter header: bytes of a field that nobody knows.
    static func signal(header: Int) -> [UInt8] {
        var fields: [UInt8] = []
        func align(_ size: Int) { while fields.count % size != 0 { fields.append(0) } }
        func number(_ value: Int) {
            for shift in [0, 8, 16, 24] { fields.append(UInt8(value >> shift & 0xff)) }
        }
        for (code, type, text) in [(1, "o", "/object"), (2, "s", "org.example.Echo"), (3, "s", "Said")] {
            align(8)
            fields += [UInt8(code), 1] + Array(type.utf8) + [0]
            align(4)
            number(text.utf8.count)
            fields += Array(text.utf8) + [0]
        }
        align(8)
        fields += [200, 2] + Array("ay".utf8) + [0]
        align(4)
        number(header)
        fields += [UInt8](repeating: 1, count: header)
        let length = fields.count
        align(8)
        let body = fields
        fields = Array("l".utf8) + [4, 0, 1]
        number(0)
        number(1)
        number(length)
        return fields + body
    }
}
