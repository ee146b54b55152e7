import CDBus
import Testing

@testable import DBus

/// How a ``DescriptorGate`` finds the messages with descriptors.
@Suite struct MessageStreamTests {
    /// However the bus's bytes are divided, the descriptors come with the message that has them.
    @Test(arguments: [1, 2, 7, 16, 17, 100, 4096])
    func descriptorsGoWithTheirMessage(size: Int) throws {
        var bytes = Array("OK 1234\r\nAGREE_UNIX_FD\r\n".utf8)
        // By where they begin.
        var messages: [Int: (sender: BusName, files: [Int32])] = [:]
        var number: Int32 = 100
        for (sender, count) in [(":1.1", 0), (":1.2", 2), (":1.3", 1), (":1.4", 0), (":1.5", 3), (":1.6", 0)]
        {
            let files = (0..<count).map { number + Int32($0) }
            number += 10
            if count > 0 { messages[bytes.count] = (BusName(stringLiteral: sender), files) }
            bytes += Self.message(from: sender, descriptors: count)
        }
        var stream = MessageStream()
        var passed: [UInt8] = []
        var found = 0
        for start in stride(from: 0, to: bytes.count, by: size) {
            let end = min(start + size, bytes.count)
            // The kernel ends a read after the part with which descriptors came.
            var begin = start
            for place in messages.keys.sorted() where start <= place && place < end {
                stream.append(bytes[begin...place], ArraySlice(messages[place]?.files ?? []))
                begin = place + 1
                take()
            }
            stream.append(bytes[begin..<end], [])
            take()
        }
        #expect(passed == bytes)
        #expect(found == messages.count && stream.hasNoFiles)

        func take() {
            while let part = stream.next() {
                if !part.files.isEmpty {
                    #expect(messages[passed.count]?.files == part.files)
                    #expect(messages[passed.count]?.sender == part.sender)
                    found += 1
                }
                passed += part.bytes
            }
        }
    }

    private static func message(from sender: String, descriptors: Int) -> [UInt8] {
        var fields: [UInt8] = []
        func align(_ size: Int) { while fields.count % size != 0 { fields.append(0) } }
        func number(_ value: Int) {
            for shift in [0, 8, 16, 24] { fields.append(UInt8(value >> shift & 0xff)) }
        }
        for (code, type, text) in [
            (1, "o", "/object"), (2, "s", "org.example.Echo"), (3, "s", "Said"), (7, "s", sender),
        ] {
            align(8)
            fields += [UInt8(code), 1] + Array(type.utf8) + [0]
            align(4)
            number(text.utf8.count)
            fields += Array(text.utf8) + [0]
        }
        align(8)
        fields += [8, 1] + Array("g".utf8) + [0, 2] + Array("ay".utf8) + [0]
        if descriptors > 0 {
            align(8)
            fields += [9, 1] + Array("u".utf8) + [0]
            align(4)
            number(descriptors)
        }
        let length = fields.count
        align(8)
        // A body with bytes that begin messages.
        let body = [20, 0, 0, 0] + Array("lllllBBBBBlllllBBBBB".utf8)
        let header = fields
        fields = Array("l".utf8) + [4, 0, 1]
        number(body.count)
        number(1)
        number(length)
        return fields + header + body
    }
}
