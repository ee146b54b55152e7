/// A single complete type of the D-Bus specification.
indirect enum WireType: Equatable {
    case basic(Basic)
    case variant
    case array(WireType)
    case dictionary(key: Basic, value: WireType)
    case structure([WireType])

    enum Basic: Character {
        case byte = "y"
        case boolean = "b"
        case int16 = "n"
        case uint16 = "q"
        case int32 = "i"
        case uint32 = "u"
        case int64 = "x"
        case uint64 = "t"
        case double = "d"
        case string = "s"
        case objectPath = "o"
        case signature = "g"
        case descriptor = "h"
    }
}

extension WireType {
    init(signature: String) throws(GeneratorError) {
        var rest = signature[...]
        guard let type = Self.take(from: &rest), rest.isEmpty else {
            throw GeneratorError("“\(signature)” is not a single complete type")
        }
        self = type
    }

    private static func take(from rest: inout Substring) -> WireType? {
        guard let code = rest.popFirst() else { return nil }
        switch code {
        case "v":
            return .variant
        case "a" where rest.first == "{":
            rest.removeFirst()
            guard let key = rest.popFirst().flatMap(Basic.init), let value = take(from: &rest),
                rest.popFirst() == "}"
            else { return nil }
            return .dictionary(key: key, value: value)
        case "a":
            return take(from: &rest).map(WireType.array)
        case "(":
            var fields: [WireType] = []
            while rest.first != ")" {
                guard let field = take(from: &rest) else { return nil }
                fields.append(field)
            }
            rest.removeFirst()
            return fields.isEmpty ? nil : .structure(fields)
        default:
            return Basic(rawValue: code).map(WireType.basic)
        }
    }

    var signature: String {
        switch self {
        case .basic(let basic): String(basic.rawValue)
        case .variant: "v"
        case .array(let element): "a" + element.signature
        case .dictionary(let key, let value): "a{\(key.rawValue)\(value.signature)}"
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        }
    }
}
