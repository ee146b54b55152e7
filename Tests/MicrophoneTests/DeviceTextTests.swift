import Testing

@testable import Microphone

@Suite struct DeviceTextTests {
    @Test(arguments: ["", "mic", "Mikrofon für Übung 🎙️", "e\u{301}", "\u{202e}\n"])
    func validTextIsUnchanged(_ text: String) {
        #expect(text.withCString { DeviceText($0) } == DeviceText(text))
    }

    @Test(arguments: [
        [0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0x80],
    ])
    func repairsAndMarksInvalidUTF8(_ bytes: [UInt8]) {
        let text = DeviceText(bytes: bytes)
        #expect(text.text == String(decoding: bytes, as: UTF8.self))
        #expect(!text.isExact)
    }

    @Test func lengthIsBounded() {
        #expect(DeviceText(bytes: [UInt8](repeating: 0x61, count: 512)).isExact)
        let long = DeviceText(bytes: [UInt8](repeating: 0x61, count: 1_000_000))
        #expect(long.text.utf8.count == 512)
        #expect(!long.isExact)
    }
}

extension DeviceText {
    init(bytes: [UInt8]) {
        let terminated = (bytes + [0]).map { CChar(bitPattern: $0) }
        self = terminated.withUnsafeBufferPointer { $0.baseAddress.map { DeviceText($0) } } ?? DeviceText("")
    }
}
