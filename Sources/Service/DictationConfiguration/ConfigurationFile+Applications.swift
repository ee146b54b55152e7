import DictationCore
import Yams

// Values about applications and their texts.

extension ConfigurationFile {
    /// "off", or a number of hours or days.
    func lifetime(
        _ node: Node, _ key: ConfigurationKey, _ range: ClosedRange<Int>
    ) throws(ConfigurationError) -> Duration {
        let text = node.scalar?.string ?? ""
        if text == "off" { return .zero }
        let parts = text.split(separator: " ")
        guard parts.count == 2, let number = Int(parts[0]), (1...10_000).contains(number),
            let hours = Self.hours[String(parts[1])], range.contains(number * hours)
        else { throw wrong(node, key, key.type) }
        return .seconds(number * hours * 3600)
    }

    private static let hours = ["hour": 1, "hours": 1, "day": 24, "days": 24]

    func applicationSettings(
        _ node: Node, _ key: ConfigurationKey
    ) throws(ConfigurationError) -> [ApplicationSettings] {
        guard let items = node.sequence, items.count <= ApplicationSettings.limit else {
            throw wrong(node, key, "a list of at most \(ApplicationSettings.limit) applications")
        }
        return try items.map { item throws(ConfigurationError) in try settings(item, key) }
    }

    private func settings(
        _ node: Node, _ key: ConfigurationKey
    ) throws(ConfigurationError) -> ApplicationSettings {
        typealias Key = ApplicationSettings.Key
        guard let mapping = node.mapping,
            let pattern = (mapping[Key.application.rawValue]?.scalar?.string).flatMap(ApplicationPattern.init)
        else {
            throw failure(
                node, "each of '\(key.name)' needs an 'application': \"*\", or a kind, a colon and an id")
        }
        var settings = ApplicationSettings(pattern)
        for (name, value) in mapping {
            guard let field = name.scalar.flatMap({ Key(rawValue: $0.string) }) else {
                throw failure(
                    name,
                    "an application of '\(key.name)' has no key '\(name.scalar?.string ?? "")', but: "
                        + ConfigurationKey.applicationKeys)
            }
            guard field != .application else { continue }
            // With the name of the same key for all applications, and its limits.
            guard let own = ConfigurationKey.all.first(where: { $0.name == field.rawValue }) else { continue }
            switch field {
            case .application: break
            case .formatting: settings.formatting = try word(value, own)
            case .language:
                settings.languages = try names(value, own)
                guard settings.languages?.count ?? 0 <= Configuration.languageLimit else {
                    throw wrong(value, own, "1 to \(Configuration.languageLimit) languages")
                }
            case .engine: settings.engine = try names(value, own)
            case .cleanUp: settings.cleanUp = try word(value, own)
            case .autoCommit:
                guard case .millisecondsOrZero(_, let range) = own.kind else { break }
                settings.autoCommit = .milliseconds(try integerOrZero(value, own, range))
            case .history: settings.history = try boolean(value, own)
            }
        }
        return settings
    }
}
