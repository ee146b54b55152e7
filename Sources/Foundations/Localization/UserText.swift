/// A text for people, in their language. Its literal is the key in the catalogues of packaging/translations, with “%s” for each
/// value in it. A value can be such a text, too.
public struct UserText: ExpressibleByStringInterpolation, Hashable, Sendable, CustomStringConvertible {
    fileprivate indirect enum Value: Hashable, Sendable {
        case plain(String)
        case text(UserText)
    }

    /// With “%s” for each value, and “%%” for a percent sign.
    public let key: String
    private let values: [Value]

    public init(stringLiteral text: String) {
        key = Self.escaped(text)
        values = []
    }

    public init(stringInterpolation parts: StringInterpolation) {
        key = parts.key
        values = parts.values
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var key = ""
        fileprivate var values: [Value] = []

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { key += UserText.escaped(literal) }

        public mutating func appendInterpolation(_ text: UserText) {
            key += "%s"
            values.append(.text(text))
        }

        public mutating func appendInterpolation(_ value: some Any) {
            key += "%s"
            values.append(.plain("\(value)"))
        }
    }

    /// In the user's language, or as it is in the sources.
    public var description: String { filled(Catalogue.translation(of: key)) }

    /// As it is in the sources: for programs, and for processes that serve several users.
    public var english: String {
        fill(key) { value in
            switch value {
            case .plain(let value): value
            case .text(let text): text.english
            }
        }
    }

    /// A translation with the values, which it names in their order (“%s”) or by number (“%2$s”).
    package func filled(_ translation: String) -> String {
        fill(translation) { value in
            switch value {
            case .plain(let value): value
            case .text(let text): text.description
            }
        }
    }

    private func fill(_ translation: String, _ string: (Value) -> String) -> String {
        var result = ""
        var next = 0
        var rest = translation[...]
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[percent...].dropFirst()
            if rest.first == "%" {
                result += "%"
                rest = rest.dropFirst()
                continue
            }
            let number = Int(rest.prefix { $0.isASCII && $0.isNumber })
            if number != nil { rest = rest[(rest.firstIndex(of: "$") ?? rest.startIndex)...].dropFirst() }
            let index = number.map { $0 - 1 } ?? next
            if number == nil { next += 1 }
            if values.indices.contains(index) { result += string(values[index]) }
            rest = rest.dropFirst()
        }
        return result + rest
    }

    fileprivate static func escaped(_ text: String) -> String { text.replacing("%", with: "%%") }
}

/// A text in the user's language.
public func translated(_ message: UserText) -> String { message.description }
