import DictationCore
import NIOCore
import Testing

@testable import Wyoming

@Suite struct FrameTests {
    @Test func readsMessagesThatFollowEachOtherWithoutSeparator() throws {
        var decoder = FrameDecoder()
        try decoder.append(
            "{\"type\": \"transcript\", \"data_length\": 16, \"payload_length\": 2}\n{\"text\": \"h\u{f6}h\"}xx"
                + "{\"type\": \"transcript-stop\"}\r\n")
        let first = try #require(try decoder.next())
        #expect(first.type == "transcript")
        #expect(String(decoding: first.data, as: UTF8.self) == "{\"text\": \"h\u{f6}h\"}")
        #expect(try decoder.next()?.type == "transcript-stop")
        #expect(try decoder.next() == nil)
    }

    @Test func readsOneByteAtATime() throws {
        var decoder = FrameDecoder()
        var frames: [Frame] = []
        let text = "{\"type\": \"a\", \"data_length\": 2}\n{}{\"type\": \"b\", \"data\": {\"text\": \"x\"}}\n"
        for byte in text.utf8 {
            var buffer = ByteBuffer(bytes: [byte])
            try decoder.append(&buffer)
            while let frame = try decoder.next() { frames.append(frame) }
        }
        #expect(frames.map(\.type) == ["a", "b"])
    }

    @Test(arguments: [
        "garbage\n", "\n", "[]\n", "{}\n", "{\"type\": 1}\n",
        "{\"type\": \"t\", \"data_length\": -1}\n",
        "{\"type\": \"t\", \"payload_length\": -5}\n",
        "{\"type\": \"t\", \"data_length\": 4294967296}\n",
        "{\"type\": \"t\", \"data_length\": 18446744073709551616}\n",
        "{\"type\": \"t\", \"payload_length\": 4294967296}\n",
        "{\"type\": \"t\", \"data_length\": 1.5}\n",
        "{\"type\": \"\\ud800\n",
        String(repeating: "[", count: 60_000) + "\n",
        String(repeating: "x", count: 70_000),
    ])
    func refusesWhatIsMalformed(_ text: String) {
        var decoder = FrameDecoder()
        let failure = #expect(throws: EngineFailure.self) {
            try decoder.append(text)
            _ = try decoder.next()
        }
        #expect(failure?.kind == .malformed)
    }

    @Test func boundsMessagesAndBytesOfAnExchange() {
        #expect(throws: EngineFailure.self) {
            var decoder = FrameDecoder()
            for _ in 0...FrameDecoder.countLimit {
                try decoder.append("{\"type\": \"ping\"}\n")
                _ = try decoder.next()
            }
        }
        #expect(throws: EngineFailure.self) {
            var decoder = FrameDecoder()
            let payload = String(repeating: "x", count: FrameDecoder.payloadLimit)
            for _ in 0...8 {
                try decoder.append("{\"type\": \"t\", \"payload_length\": \(payload.utf8.count)}\n" + payload)
                _ = try decoder.next()
            }
        }
    }

    @Test func refusesServersWithTheirOwnEndpointing() throws {
        var decoder = FrameDecoder()
        try decoder.append(
            "{\"type\": \"info\", \"data\": {\"asr\": [{\"name\": \"x\", \"requires_external_vad\": false}]}}\n"
        )
        let frame = try #require(try decoder.next())
        let failure = #expect(throws: EngineFailure.self) { try InfoReader().read(frame) }
        #expect(failure?.kind == .unsuitable)
    }

    @Test func keepsOnlyPlausibleLanguages() throws {
        var decoder = FrameDecoder()
        try decoder.append(
            """
            {"type": "info", "data": {"asr": [{"name": "a\\u0007b", "version": "1", "models": [{"name": "m", \
            "languages": ["en", "de", "en", "not a tag", ""]}, {"name": "n", "installed": false, \
            "languages": ["fr"]}]}]}}

            """)
        let frame = try #require(try decoder.next())
        guard let description = try InfoReader().read(frame) else {
            Issue.record("no description")
            return
        }
        #expect(description == EngineDescription(program: "ab 1", models: ["m"], languages: ["en", "de"]))
        #expect(description.code(for: "en-US") == "en")
        #expect(description.code(for: "DE") == "de")
        #expect(description.code(for: "xx") == nil)
    }

    @Test(arguments: [
        ("unix:/run/user/1000/engine.sock", "unix:/run/user/1000/engine.sock", true),
        ("unix:///run/engine.sock", "unix:/run/engine.sock", true),
        ("tcp://127.0.0.1:10300", "tcp://127.0.0.1:10300", true),
        ("tcp://[::1]:10300", "tcp://[::1]:10300", true),
        ("tcp://engine.example:10300", "tcp://engine.example:10300", false),
        ("tcp://127.0.0.1.example:10300", "tcp://127.0.0.1.example:10300", false),
    ])
    func parsesAddresses(_ text: String, shown: String, isLocal: Bool) throws {
        let address = try #require(WyomingAddress(text))
        #expect("\(address)" == shown)
        #expect(address.isLocal == isLocal)
    }

    @Test(arguments: [
        "", "unix:", "unix:relative", "tcp://", "tcp://host", "tcp://:1", "tcp://h:0", "tcp://h:65536",
        "http://127.0.0.1:1", "tcp://h\u{0}:1", "unix:/" + String(repeating: "x", count: 200),
    ])
    func refusesAddresses(_ text: String) {
        #expect(WyomingAddress(text) == nil)
    }

    @Test func findsTheOwnersOfAListener() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:283C 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0
               1: 0100007F:283C 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1001        0 1 1 0
               2: 0200A8C0:283C 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1002        0 1 1 0
               3: 00000000:283D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1003        0 1 1 0
               4: nonsense
            """
        #expect(ListenerOwner.uids(port: 0x283C, in: Array(table.utf8)) == [1000])
        #expect(ListenerOwner.uids(port: 0x283D, in: Array(table.utf8)) == [1003])
        #expect(ListenerOwner.uids(port: 1, in: Array(table.utf8)).isEmpty)
    }
}

extension FrameDecoder {
    fileprivate mutating func append(_ text: String) throws(EngineFailure) {
        var buffer = ByteBuffer(string: text)
        try append(&buffer)
    }
}
