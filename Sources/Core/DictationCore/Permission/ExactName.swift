/// A name chosen by other programs. Compared, ordered and hashed by its UTF-8 bytes.
///
/// `String` compares by canonical equivalence. Unlike the kernel, PipeWire and the bus, it treats two encodings of one
/// letter as equal, and it takes quadratic time on a long run of combining marks.
public protocol ExactName: RawRepresentable, Hashable, Comparable, Sendable where RawValue == String {}

extension ExactName {
    public static func == (one: Self, other: Self) -> Bool {
        one.rawValue.hasSameBytes(as: other.rawValue)
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        rawValue.hashBytes(into: &hasher)
    }
}

extension String {
    public func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    public func hashBytes(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // Not a byte of UTF-8: separates consecutive strings.
        hasher.combine(UInt8(0xFF))
    }
}

/// Text of any length from a client, compared and hashed by its bytes.
@propertyWrapper
public struct ComparedByBytes: Hashable, Sendable {
    public var wrappedValue: String?

    public init(wrappedValue: String?) { self.wrappedValue = wrappedValue }

    public static func == (one: Self, other: Self) -> Bool {
        switch (one.wrappedValue, other.wrappedValue) {
        case (let one?, let other?): one.hasSameBytes(as: other)
        case (nil, nil): true
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(wrappedValue == nil)
        wrappedValue?.hashBytes(into: &hasher)
    }
}
