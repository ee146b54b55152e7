import Glibc

/// Text that came over the bus, or goes there: equal, ordered and hashed by its UTF-8 bytes.
///
/// `String` compares and hashes by canonical equivalence, which takes quadratic time on a long run of combining marks:
/// one such dictionary key of 234 KiB stops a thread for seconds. Whoever sent the text chose it, so nothing may compare
/// it as a `String` before its length is limited.
public struct BusText: Sendable {
    public let string: String

    public init(_ string: String) {
        self.string = string
    }

    /// The length in bytes of UTF-8, which is what the limits of the bus and of this service count.
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
        // No byte of UTF-8: two texts in a row hash unlike one.
        hasher.combine(UInt8(0xFF))
    }

    /// Below, at or above 0 as the bytes that both have are in order.
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
    /// The case or name of this raw value; nil of one longer than any word or name of an interface, which is never
    /// compared.
    public init?(_ text: BusText) {
        guard text.count <= MessageLimits.nameBytes else { return nil }
        self.init(rawValue: text.string)
    }
}
