import DictationCore
import DictationService

extension ConfigurationKey {
    /// The values of the key, for people.
    var type: String {
        switch kind {
        case .boolean: "true or false"
        case .integer(_, let range): "a whole number, \(range.lowerBound) to \(range.upperBound)"
        case .string: "a string"
        case .seconds(_, let range): "seconds, \(range.lowerBound) to \(range.upperBound)"
        case .millisecondsOrZero(_, let range):
            "milliseconds, 0 or \(range.lowerBound) to \(range.upperBound)"
        case .strings, .reasons, .applications: "a list of strings"
        case .names: "a string or a list of strings"
        case .engines: "a list of {name, wyoming, fallback, punctuates}"
        case .models: "folders by language"
        case .formatting: FormattingStyle.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        case .replacements: "strings by what is said"
        case .words: "a list of words, each alone or with what it sounds like"
        case .limits: "seconds by reason, 0 to 86400, as {call: 60}"
        }
    }

    /// The key's value in `configuration`, as YAML on one line.
    func value(in configuration: Configuration) -> String {
        switch kind {
        case .boolean(let field): "\(configuration[keyPath: field])"
        case .integer(let field, _): "\(configuration[keyPath: field])"
        case .string(let field): Self.quoted(configuration[keyPath: field])
        case .seconds(let field, _): "\(Int(configuration[keyPath: field] / .seconds(1)))"
        case .millisecondsOrZero(let field, _): "\(Int(configuration[keyPath: field] / .milliseconds(1)))"
        case .strings(let field): Self.list(configuration[keyPath: field].sorted().map(Self.quoted))
        case .reasons(let field):
            Self.list(Self.optionalReasons.filter(configuration[keyPath: field].contains).map(\.rawValue))
        case .applications(let field):
            Self.list(configuration[keyPath: field].map { Self.quoted("\($0)") })
        case .names(let field):
            configuration[keyPath: field].count == 1
                ? Self.quoted(configuration[keyPath: field][0])
                : Self.list(configuration[keyPath: field].map(Self.quoted))
        case .formatting(let field): configuration[keyPath: field].rawValue
        case .replacements, .models: "{}"
        case .words, .engines: "[]"
        case .limits(let field):
            "{"
                + configuration[keyPath: field].sorted { $0.key.rawValue < $1.key.rawValue }
                .map { "\($0.key.rawValue): \($0.value.components.seconds)" }.joined(separator: ", ") + "}"
        }
    }

    private static func list(_ items: [String]) -> String {
        "[" + items.joined(separator: ", ") + "]"
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
