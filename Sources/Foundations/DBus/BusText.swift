import Glibc

/// Text from or for the bus. Compared, ordered and hashed by its UTF-8 bytes.
///
/// `String` compares and hashes by canonical equivalence, which takes quadratic time on a long run of combining marks:
/// one such dictionary key of 234 KiB blocks a thread for seconds. Other programs choose the text, so it must not be
/// compared as a `String` before its length is limited.
public struct BusText: Sendable {
    public let string: String

    public init(_ string: String) {
        self.string = string
    }

    /// The length in bytes of UTF-8, which the limits of the bus and of this service count.
    public var count: Int { string.utf8.count }
    public var isEmpty: Bool { string.isEmpty }
}

extension BusText: Hashable, Comparable {
    public static func == (one: BusText, other: BusText) -> Bool {
        one.count == other.count && one.compared(to: other) == 0
    }

    public static func < (one: BusText, other: BusText) -> Bool {
        let order = one.compared(to: other)
        return order == 0 ? one.count < other.count : order < 0
    }

    public func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // Not a byte of UTF-8, so that two texts in a row and their concatenation have different hashes.
        hasher.combine(UInt8(0xFF))
    }

    /// Below, equal to or above 0, as the common bytes are ordered.
    private func compared(to other: BusText) -> Int32 {
        withBytes { own in
            other.withBytes { others in
                guard let own = own.baseAddress, let others = others.baseAddress else { return 0 }
                return memcmp(own, others, min(count, other.count))
            }
        }
    }

    private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var copy = string
        return copy.withUTF8(body)
    }
}

extension BusText: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension BusText: CustomStringConvertible {
    public var description: String { string }
}

extension RawRepresentable where RawValue == String {
    /// The value with this raw value. Nil without a comparison if the text is longer than any name of an interface.
    public init?(_ text: BusText) {
        guard text.count <= MessageLimits.nameBytes else { return nil }
        self.init(rawValue: text.string)
    }
}
