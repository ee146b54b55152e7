public import EventLoop

/// A value of any D-Bus type.
public enum Value: Hashable, Sendable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(BusText)
    case objectPath(ObjectPath)
    case signature(Signature)
    case descriptor(Descriptor)
    case array([Value], of: Signature)
    /// Keys have a basic type. String keys are sent in their order, others in any order.
    case dictionary([Value: Value], key: Signature, value: Signature)
    /// Has at least one member.
    case structure([Value])
    indirect case variant(Value)

    public static func string(_ string: String) -> Value { .string(BusText(string)) }

    /// Whether it is or contains a descriptor.
    public var hasDescriptors: Bool {
        switch self {
        case .descriptor: true
        case .array(let elements, _): elements.contains(where: \.hasDescriptors)
        case .dictionary(let entries, _, _):
            entries.contains { $0.key.hasDescriptors || $0.value.hasDescriptors }
        case .structure(let members): members.contains(where: \.hasDescriptors)
        case .variant(let content): content.hasDescriptors
        case .byte, .bool, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath,
            .signature:
            false
        }
    }

    /// Its type.
    public var signature: Signature {
        switch self {
        case .byte: UInt8.signature
        case .bool: Bool.signature
        case .int16: Int16.signature
        case .uint16: UInt16.signature
        case .int32: Int32.signature
        case .uint32: UInt32.signature
        case .int64: Int64.signature
        case .uint64: UInt64.signature
        case .double: Double.signature
        case .string: BusText.signature
        case .objectPath: ObjectPath.signature
        case .signature: Signature.signature
        case .descriptor: Descriptor.signature
        case .array(_, let element): .array(of: element)
        case .dictionary(_, let key, let value): .dictionary(key, value)
        case .structure(let members):
            Signature(unchecked: "(\(Signature(members.map(\.signature)).rawValue))")
        case .variant: Value.signature
        }
    }
}
