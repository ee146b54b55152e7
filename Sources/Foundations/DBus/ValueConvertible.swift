public import EventLoop

/// A Swift type that corresponds to one D-Bus type, so that `Value(x)` and `T(value)` convert.
public protocol ValueConvertible: Sendable {
    static var signature: Signature { get }
    /// Nil unless the value has exactly this type.
    init?(_ value: Value)
    var value: Value { get }
}

extension Value {
    public init(_ convertible: some ValueConvertible) {
        self = convertible.value
    }

    /// A dictionary of variants, `a{sv}`.
    public init(_ options: [BusText: Value]) {
        self = options.value
    }
}

/// In Swift any value can be a variant: `[BusText: Value]` is `a{sv}`, and its values are wrapped and unwrapped
/// automatically.
extension Value: ValueConvertible {
    public static let signature: Signature = "v"

    public init?(_ value: Value) {
        guard case .variant(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .variant(self) }
}

extension Array: ValueConvertible where Element: ValueConvertible {
    public static var signature: Signature { .array(of: Element.signature) }

    public init?(_ value: Value) {
        guard case .array(let elements, Element.signature) = value else { return nil }
        self.init()
        reserveCapacity(elements.count)
        for element in elements {
            guard let element = Element(element) else { return nil }
            append(element)
        }
    }

    public var value: Value { .array(map(\.value), of: Element.signature) }
}

/// A type for dictionary keys. `String` is not one: its hash takes quadratic time on some text.
public protocol KeyConvertible: ValueConvertible, Hashable {}

extension Dictionary: ValueConvertible where Key: KeyConvertible, Value: ValueConvertible {
    public static var signature: Signature { .dictionary(Key.signature, Value.signature) }

    public init?(_ value: DBus.Value) {
        guard case .dictionary(let entries, Key.signature, Value.signature) = value else { return nil }
        self.init(minimumCapacity: entries.count)
        for (key, value) in entries {
            guard let key = Key(key), let value = Value(value) else { return nil }
            self[key] = value
        }
    }

    public var value: DBus.Value {
        .dictionary(
            [DBus.Value: DBus.Value](uniqueKeysWithValues: map { ($0.key.value, $0.value.value) }),
            key: Key.signature, value: Value.signature)
    }
}

extension [Value] {
    /// The values as Swift types: `let (block, text) = try reply.decoded(as: UInt64.self, String.self)`.
    public func decoded<each Part: ValueConvertible>(
        as types: repeat (each Part).Type
    ) throws(DBusError) -> (repeat each Part) {
        var rest = self[...]
        func next<T: ValueConvertible>(_ type: T.Type) throws(DBusError) -> T {
            guard let value = rest.popFirst(), let part = T(value) else { throw mismatch() }
            return part
        }
        func mismatch() -> DBusError {
            var expected = ""
            func add(_ signature: Signature) { expected += signature.rawValue }
            // A loop over the pack crashes the optimizer of Swift 6.2.3.
            _ = (repeat add((each Part).signature))
            return .invalidSignature("expected (\(expected)), not (\(Signature(map(\.signature))))")
        }
        let parts = (repeat try next(each types))
        if !rest.isEmpty { throw mismatch() }
        return parts
    }
}

extension UInt8: KeyConvertible {
    public static let signature: Signature = "y"

    public init?(_ value: Value) {
        guard case .byte(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .byte(self) }
}

extension Bool: KeyConvertible {
    public static let signature: Signature = "b"

    public init?(_ value: Value) {
        guard case .bool(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .bool(self) }
}

extension Int16: KeyConvertible {
    public static let signature: Signature = "n"

    public init?(_ value: Value) {
        guard case .int16(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .int16(self) }
}

extension UInt16: KeyConvertible {
    public static let signature: Signature = "q"

    public init?(_ value: Value) {
        guard case .uint16(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .uint16(self) }
}

extension Int32: KeyConvertible {
    public static let signature: Signature = "i"

    public init?(_ value: Value) {
        guard case .int32(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .int32(self) }
}

extension UInt32: KeyConvertible {
    public static let signature: Signature = "u"

    public init?(_ value: Value) {
        guard case .uint32(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .uint32(self) }
}

extension Int64: KeyConvertible {
    public static let signature: Signature = "x"

    public init?(_ value: Value) {
        guard case .int64(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .int64(self) }
}

extension UInt64: KeyConvertible {
    public static let signature: Signature = "t"

    public init?(_ value: Value) {
        guard case .uint64(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .uint64(self) }
}

extension Double: KeyConvertible {
    public static let signature: Signature = "d"

    public init?(_ value: Value) {
        guard case .double(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .double(self) }
}

extension String: ValueConvertible {
    public static let signature: Signature = "s"

    public init?(_ value: Value) {
        guard case .string(let content) = value else { return nil }
        self = content.string
    }

    public var value: Value { .string(BusText(self)) }
}

extension BusText: KeyConvertible {
    public static let signature: Signature = "s"

    public init?(_ value: Value) {
        guard case .string(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .string(self) }
}

extension ObjectPath: KeyConvertible {
    public static let signature: Signature = "o"

    public init?(_ value: Value) {
        guard case .objectPath(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .objectPath(self) }
}

extension Signature: KeyConvertible {
    public static let signature: Signature = "g"

    public init?(_ value: Value) {
        guard case .signature(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .signature(self) }
}

extension Descriptor: ValueConvertible {
    public static let signature: Signature = "h"

    public init?(_ value: Value) {
        guard case .descriptor(let content) = value else { return nil }
        self = content
    }

    public var value: Value { .descriptor(self) }
}
