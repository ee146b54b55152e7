/// Text that is safe in a log with one record on each line. Other programs choose names, IDs, paths and messages.
public enum LogText {
    /// Maximum length of a value, in bytes of UTF-8.
    public static let valueBytes = 128
    /// Maximum length of a message, in bytes. Messages contain one or two values.
    public static let messageBytes = 512

    /// The text on one line. Control characters, line and paragraph separators, characters that change the text
    /// direction, and backslashes are escaped as in Swift. Text longer than `limit` is cut and marked.
    public static func safe(_ text: String, atMost limit: Int = valueBytes) -> String {
        var safe = ""
        var taken = 0
        for scalar in text.unicodeScalars {
            let escaped = scalar.isUnsafeInLog
            let width = escaped ? scalar.escaped.utf8.count : UTF8.width(scalar)
            guard taken + width <= limit else { return safe + "… (\(text.utf8.count) bytes)" }
            taken += width
            if escaped { safe += scalar.escaped } else { safe.unicodeScalars.append(scalar) }
        }
        return safe
    }
}

extension Unicode.Scalar {
    fileprivate var isUnsafeInLog: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: self == "\\"
        }
    }

    fileprivate var escaped: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\\": "\\\\"
        default: "\\u{\(String(value, radix: 16, uppercase: true))}"
        }
    }
}
