internal import Glibc

/// Text that a device or another program chose: made valid UTF-8 and limited in length.
struct DeviceText: Hashable {
    let text: String
    /// Whether the text is unchanged, so that PipeWire finds the device by it.
    let isExact: Bool

    /// Maximum length in bytes: more than real names have.
    static let limit = 512

    init(_ bytes: UnsafePointer<CChar>) {
        let length = strnlen(bytes, Self.limit + 1)
        let taken = UnsafeRawBufferPointer(start: bytes, count: min(length, Self.limit))
        text = String(decoding: taken, as: UTF8.self)
        isExact = length <= Self.limit && text.utf8.elementsEqual(taken)
    }

    init(_ text: String) {
        self.text = text
        isExact = true
    }
}
