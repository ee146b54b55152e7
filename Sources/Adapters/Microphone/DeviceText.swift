internal import Glibc

/// Text that a device, or whoever calls himself one, chose: made valid and of bounded length.
struct DeviceText: Hashable {
    let text: String
    /// The text is the device's own, byte for byte, so that PipeWire would know the device by it.
    let isExact: Bool

    /// Bytes taken at most: more than any real name has, little enough to send in every signal.
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
