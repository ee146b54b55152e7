import CLinux
import Foundation
import Glibc

/// A text for people, in their language. Its literal is the key in the catalogues of packaging/translations, with “%s” for each
/// value in it.
struct UserText: ExpressibleByStringInterpolation, Hashable, Sendable, CustomStringConvertible {
    /// With “%s” for each value, and “%%” for a percent sign.
    let key: String
    private let values: [String]

    init(stringLiteral text: String) {
        key = Self.escaped(text)
        values = []
    }

    init(stringInterpolation parts: StringInterpolation) {
        key = parts.key
        values = parts.values
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var key = ""
        fileprivate var values: [String] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { key += UserText.escaped(literal) }

        mutating func appendInterpolation(_ value: some Any) {
            key += "%s"
            values.append("\(value)")
        }
    }

    /// In the user's language, or as it is in the sources.
    var description: String { filled(Catalogue.translation(of: key)) }

    /// A translation with the values, which it names in their order (“%s”) or by number (“%2$s”).
    func filled(_ translation: String) -> String {
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
            if values.indices.contains(index) { result += values[index] }
            rest = rest.dropFirst()
        }
        return result + rest
    }

    private static func escaped(_ text: String) -> String { text.replacing("%", with: "%%") }
}

/// A text in the user's language.
func translated(_ message: UserText) -> String { message.description }

/// The catalogue of gettext in the user's language.
enum Catalogue {
    private static let domain = "dictation"

    /// Uses the language of the environment, and the catalogues beside the folder of this program.
    static func open() {
        setlocale(LC_MESSAGES, "")
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let folder = own.deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "share/locale")
        bindtextdomain(domain, folder.path)
        bind_textdomain_codeset(domain, "UTF-8")
    }

    static func translation(of key: String) -> String {
        // Returns its argument if there is no translation.
        key.withCString { key in
            guard let found = dgettext(domain, key) else { return String(cString: key) }
            return String(cString: found)
        }
    }
}
