/// The Swift types of D-Bus types.
enum SwiftType {
    /// - Parameters:
    ///   - signature: a single complete type. Structures have no Swift type; they are used in variants and properties.
    ///   - isInput: the value comes from a caller. Its text is compared as bytes.
    static func named(by signature: String, isInput: Bool) throws(GeneratorError) -> String {
        var rest = signature[...]
        guard let type = take(from: &rest, isInput), rest.isEmpty else {
            throw GeneratorError("“\(signature)” is not a single complete type without structures")
        }
        return type
    }

    private static let basic: [Character: String] = [
        "y": "UInt8", "b": "Bool", "n": "Int16", "q": "UInt16", "i": "Int32", "u": "UInt32", "x": "Int64",
        "t": "UInt64", "d": "Double", "o": "ObjectPath", "g": "Signature", "h": "Descriptor",
    ]

    private static func take(from rest: inout Substring, _ isInput: Bool) -> String? {
        switch rest.popFirst() {
        case "v": return "Value"
        case "s": return isInput ? "BusText" : "String"
        case "a" where rest.first == "{":
            rest.removeFirst()
            guard let code = rest.first, code == "s" || basic[code] != nil, let key = take(from: &rest, true),
                let value = take(from: &rest, isInput), rest.popFirst() == "}"
            else { return nil }
            return "[\(key): \(value)]"
        case "a": return take(from: &rest, isInput).map { "[\($0)]" }
        case let code?: return basic[code]
        case nil: return nil
        }
    }
}
