extension WireType {
    /// The type by which Swift code handles values of this D-Bus type.
    /// - Parameter isInput: a caller chose the value, so that its text is compared as bytes.
    func swiftType(isInput: Bool = false) throws(GeneratorError) -> String {
        switch self {
        case .basic(let basic): basic.swiftType(isBytes: isInput)
        case .variant: "Value"
        case .array(let element): "[\(try element.swiftType(isInput: isInput))]"
        case .dictionary(let key, let value):
            "[\(key.swiftType(isBytes: true)): \(try value.swiftType(isInput: isInput))]"
        case .structure:
            throw GeneratorError("structures have no typed form; use them within a variant or a property")
        }
    }
}

extension WireType.Basic {
    /// - Parameter isBytes: text is compared as bytes.
    func swiftType(isBytes: Bool) -> String {
        switch self {
        case .byte: "UInt8"
        case .boolean: "Bool"
        case .int16: "Int16"
        case .uint16: "UInt16"
        case .int32: "Int32"
        case .uint32: "UInt32"
        case .int64: "Int64"
        case .uint64: "UInt64"
        case .double: "Double"
        case .string: isBytes ? "BusText" : "String"
        case .objectPath: "ObjectPath"
        case .signature: "Signature"
        case .descriptor: "Descriptor"
        }
    }
}

extension Interface.Argument {
    func swiftType() throws(GeneratorError) -> String { try type.swiftType(isInput: isInput) }
}

extension [Interface.Argument] {
    /// `text: String`, for parameters, associated values and labelled tuples.
    func declarations() throws(GeneratorError) -> [String] {
        var result: [String] = []
        for argument in self {
            result.append("\(SwiftNames.escaped(argument.name)): \(try argument.swiftType())")
        }
        return result
    }

    /// `as: UInt64.self`, `String.self`, for decoding.
    func types() throws(GeneratorError) -> [String] {
        var result: [String] = []
        for argument in self {
            result.append((result.isEmpty ? "as: " : "") + "\(try argument.swiftType()).self")
        }
        return result
    }

    var names: [String] { map { SwiftNames.escaped($0.name) } }

    /// `let text`, for patterns.
    var bindings: [String] { names.map { "let \($0)" } }

    /// `text: text`, for calls of what ``declarations()`` declares.
    func labelled(_ value: (Interface.Argument) -> String) -> [String] {
        map { "\(SwiftNames.escaped($0.name)): \(value($0))" }
    }
}
