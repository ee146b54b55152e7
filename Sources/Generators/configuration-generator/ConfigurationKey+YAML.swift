import DictationConfiguration
import DictationCore

extension ConfigurationKey {
    /// The key's value in `configuration`, as YAML on one line.
    func value(in configuration: Configuration) -> String {
        switch kind {
        case .boolean(let field): "\(configuration[keyPath: field])"
        case .integer(let field, _): "\(configuration[keyPath: field])"
        case .string(let field), .command(let field): Self.quoted(configuration[keyPath: field])
        case .seconds(let field, _): "\(Int(configuration[keyPath: field] / .seconds(1)))"
        case .millisecondsOrZero(let field, _): "\(Int(configuration[keyPath: field] / .milliseconds(1)))"
        case .strings(let field): Self.list(configuration[keyPath: field].sorted().map(Self.quoted))
        case .reasons(let field):
            Self.list(Self.optionalReasons.filter(configuration[keyPath: field].contains).map(\.rawValue))
        case .applications(let field):
            Self.list(configuration[keyPath: field].map { Self.quoted("\($0)") })
        case .names(let field), .languages(let field):
            configuration[keyPath: field].count == 1
                ? Self.quoted(configuration[keyPath: field][0])
                : Self.list(configuration[keyPath: field].map(Self.quoted))
        case .formatting(let field): configuration[keyPath: field].rawValue
        case .cleanUp(let field): configuration[keyPath: field].rawValue
        case .shortcut(let field): configuration[keyPath: field]?.description ?? "none"
        case .replacements, .models, .languageShortcuts: "{}"
        case .lifetime(let field, _):
            configuration[keyPath: field] == .zero
                ? "off" : "\(configuration[keyPath: field].components.seconds / 3600) hours"
        case .applicationSettings, .words, .engines: "[]"
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
