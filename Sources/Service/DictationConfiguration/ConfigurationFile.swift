import DictationCore
import LanguageFiles
import Wyoming
import Yams

/// An error in a configuration file, and its line.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    public var file: String
    /// From 1; nil for the whole file.
    public var line: Int?
    /// The key whose value is not used; nil if it is not known which.
    public var key: String?
    public var message: String

    public var description: String {
        line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
    }
}

/// What a file says.
package struct ConfigurationReading: Sendable {
    package var configuration: Configuration
    /// The keys that the file sets.
    package var names: Set<String> = []
    /// A key with an error is left out of ``configuration`` and ``names``.
    package var errors: [ConfigurationError] = []
    /// A file without keys.
    package init(configuration: Configuration = Configuration()) { self.configuration = configuration }
}

/// Reads YAML into a ``Configuration`` by the table of keys. Unknown keys and values of the wrong kind are errors.
package struct ConfigurationFile {
    private let path: String
    /// Whether it is the administrator's file.
    private let mayDecideForAll: Bool

    package init(path: String, mayDecideForAll: Bool = true) {
        self.path = path
        self.mayDecideForAll = mayDecideForAll
    }

    /// Reads the file's `text` on top of a configuration. Keys in `fixed`, which the administrator set, keep their value.
    /// Throws only if the text is not a YAML mapping.
    package func read(
        _ text: String, onto configuration: Configuration = Configuration(), fixed: Set<String> = []
    ) throws(ConfigurationError) -> ConfigurationReading {
        var reading = ConfigurationReading(configuration: configuration)
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw syntaxError(error)
        }
        guard let root, root.null == nil else { return reading }
        guard let mapping = root.mapping else {
            throw failure(root, "the file must be a mapping of keys to values")
        }
        read(mapping, prefix: "", fixed: fixed, into: &reading)
        return reading
    }

    private func read(
        _ mapping: Node.Mapping, prefix: String, fixed: Set<String>, into reading: inout ConfigurationReading
    ) {
        for (keyNode, value) in mapping {
            let name = prefix + (keyNode.string ?? "")
            if let key = ConfigurationKey.all.first(where: { $0.name == name }) {
                do throws(ConfigurationError) {
                    guard !reading.names.contains(name) else {
                        throw failure(keyNode, "'\(name)' is set twice")
                    }
                    // A value without effect must still be valid.
                    var result = reading.configuration
                    try apply(value, of: key, to: &result)
                    if !mayDecideForAll, ConfigurationKey.administratorOnly.contains(name) {
                        throw failure(keyNode, "'\(name)' can only be set in the administrator's file")
                    }
                    if !fixed.contains(name) { reading.configuration = result }
                    reading.names.insert(name)
                } catch {
                    var error = error
                    error.key = name
                    reading.errors.append(error)
                }
            } else if let group = value.mapping,
                ConfigurationKey.all.contains(where: { $0.name.hasPrefix(name + ".") })
            {
                read(group, prefix: name + ".", fixed: fixed, into: &reading)
            } else {
                let known = ConfigurationKey.all.map(\.name).joined(separator: ", ")
                reading.errors.append(failure(keyNode, "there is no key '\(name)', but: \(known)"))
            }
        }
    }

    private func apply(
        _ node: Node, of key: ConfigurationKey, to configuration: inout Configuration
    ) throws(ConfigurationError) {
        switch key.kind {
        case .boolean(let field): configuration[keyPath: field] = try boolean(node, key)
        case .integer(let field, let range): configuration[keyPath: field] = try integer(node, key, range)
        case .string(let field), .command(let field): configuration[keyPath: field] = try string(node, key)
        case .names(let field): configuration[keyPath: field] = try names(node, key)
        case .languages(let field):
            let languages = try names(node, key)
            guard languages.count <= Configuration.languageLimit else {
                throw wrong(node, key, "1 to \(Configuration.languageLimit) languages")
            }
            configuration[keyPath: field] = languages
        case .engines(let field): configuration[keyPath: field] = try engines(node)
        case .models(let field): configuration[keyPath: field] = try models(node, key)
        case .seconds(let field, let range):
            configuration[keyPath: field] = .seconds(try integer(node, key, range))
        case .millisecondsOrZero(let field, let range):
            configuration[keyPath: field] = .milliseconds(try integerOrZero(node, key, range))
        case .strings(let field):
            configuration[keyPath: field] = Set(try strings(node, key).map { $0.lowercased() })
        case .reasons(let field): configuration[keyPath: field] = try reasons(node, key)
        case .applications(let field): configuration[keyPath: field] = try applications(node, key)
        case .formatting(let field): configuration[keyPath: field] = try word(node, key)
        case .cleanUp(let field): configuration[keyPath: field] = try word(node, key)
        case .replacements(let field): configuration[keyPath: field] = try replacements(node, key)
        case .lifetime(let field, let hours): configuration[keyPath: field] = try lifetime(node, key, hours)
        case .applicationSettings(let field):
            configuration[keyPath: field] = try applicationSettings(node, key)
        case .shortcut(let field):
            configuration[keyPath: field] = try located { file throws(LanguageFileError) in
                try ShortcutSettings.shortcut(node, file: file)
            }
        case .languageShortcuts(let field):
            configuration[keyPath: field] = try located { file throws(LanguageFileError) in
                try ShortcutSettings.languages(node, file: file)
            }
        case .words(let field): configuration[keyPath: field] = try words(node)
        case .limits(let field): configuration[keyPath: field] = try limits(node, key)
        }
    }

    // MARK: Values

    func boolean(_ node: Node, _ key: ConfigurationKey) throws(ConfigurationError) -> Bool {
        guard let value = node.bool else { throw wrong(node, key, "true or false") }
        return value
    }

    private func string(_ node: Node, _ key: ConfigurationKey) throws(ConfigurationError) -> String {
        guard let value = node.scalar?.string else { throw wrong(node, key, "a string") }
        return value
    }

    /// One name, or a list of them.
    func names(_ node: Node, _ key: ConfigurationKey) throws(ConfigurationError) -> [String] {
        if let name = node.scalar?.string { return [name] }
        let names = try strings(node, key)
        guard (1...16).contains(names.count) else { throw wrong(node, key, "1 to 16 names") }
        return names
    }

    func integerOrZero(
        _ node: Node, _ key: ConfigurationKey, _ range: ClosedRange<Int>
    ) throws(ConfigurationError) -> Int {
        guard let value = node.int, value == 0 || range.contains(value) else {
            throw wrong(node, key, "0 or a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// The chosen reasons, and those that always interrupt.
    private func reasons(_ node: Node, _ key: ConfigurationKey) throws(ConfigurationError) -> Set<Reason> {
        let chosen = try strings(node, key).map { word throws(ConfigurationError) in
            try reason(word, node, key, of: ConfigurationKey.optionalReasons)
        }
        return ConfigurationKey.interrupting(chosen)
    }

    private func applications(
        _ node: Node, _ key: ConfigurationKey
    ) throws(ConfigurationError) -> [ApplicationPattern] {
        try strings(node, key).map { text throws(ConfigurationError) in
            guard let pattern = ApplicationPattern(text) else {
                throw failure(
                    node, "'\(key.name)' must hold \"*\" or a kind, a colon and an id, not '\(text)'")
            }
            return pattern
        }
    }

    func word<Style: RawRepresentable<String>>(
        _ node: Node, _ key: ConfigurationKey
    ) throws(ConfigurationError) -> Style {
        guard let style = (node.scalar?.string).flatMap(Style.init(rawValue:)) else {
            throw wrong(node, key, key.type)
        }
        return style
    }

    private func limits(
        _ node: Node, _ key: ConfigurationKey
    ) throws(ConfigurationError) -> [Reason: Duration] {
        guard let mapping = node.mapping else { throw wrong(node, key, "seconds by reason") }
        var limits: [Reason: Duration] = [:]
        for (word, value) in mapping {
            let reason = try reason(word.string ?? "", word, key, of: ConfigurationKey.limitedReasons)
            limits[reason] = .seconds(try integer(value, key, ConfigurationKey.resumeRange))
        }
        return limits
    }

    private func engines(_ node: Node) throws(ConfigurationError) -> [EngineConfiguration] {
        do throws(EngineConfigurationError) {
            return try EngineConfiguration.list(node)
        } catch {
            throw ConfigurationError(file: path, line: error.line, message: error.message)
        }
    }

    private func models(_ node: Node, _ key: ConfigurationKey) throws(ConfigurationError) -> [String: String]
    {
        guard let mapping = node.mapping, mapping.count <= Configuration.modelLimit else {
            throw wrong(node, key, "folders by language, at most \(Configuration.modelLimit)")
        }
        var models: [String: String] = [:]
        for (language, folder) in mapping {
            let tag = language.scalar?.string ?? ""
            guard LanguageTag.isTag(tag) else {
                throw failure(language, "'\(key.name)' must name languages by BCP 47 tags")
            }
            guard let path = folder.scalar?.string, path.hasPrefix("/"), !path.utf8.contains(0) else {
                throw failure(folder, "'\(key.name)' must hold absolute paths of folders")
            }
            models[tag] = path
        }
        return models
    }

    /// Reads a value by a function that other programs use too. It gets the path of the file.
    private func located<Value>(
        _ read: (String) throws(LanguageFileError) -> Value
    ) throws(ConfigurationError) -> Value {
        do throws(LanguageFileError) {
            return try read(path)
        } catch {
            throw ConfigurationError(file: path, line: error.line, message: error.message)
        }
    }

    private func words(_ node: Node) throws(ConfigurationError) -> [TranscriptionRequest.VocabularyEntry] {
        let words = try located { file throws(LanguageFileError) in
            try WordList.entries(node, file: file)
        }
        for word in words {
            if let fault = word.entry.fault {
                throw ConfigurationError(file: path, line: word.line, message: fault)
            }
        }
        return words.map(\.entry)
    }

    private func replacements(
        _ node: Node, _ key: ConfigurationKey
    ) throws(ConfigurationError) -> Replacements {
        guard let mapping = node.mapping else { throw wrong(node, key, "what is said and what is written") }
        var replacements = Replacements()
        for (spoken, written) in mapping {
            guard let phrases = written.mapping else {
                replacements.add(try phrase(spoken, written, key), for: nil)
                continue
            }
            guard let application = ApplicationPattern(spoken.string ?? "") else {
                throw failure(
                    spoken, "'\(key.name)' must name an application by \"*\" or a kind, a colon and an id")
            }
            for (spoken, written) in phrases {
                replacements.add(try phrase(spoken, written, key), for: application)
            }
        }
        guard replacements.count <= Replacements.limit else {
            throw wrong(node, key, "at most \(Replacements.limit) phrases")
        }
        guard replacements.byApplication.count <= Replacements.applicationLimit else {
            throw wrong(node, key, "for at most \(Replacements.applicationLimit) patterns of applications")
        }
        return replacements
    }

    private func phrase(
        _ spoken: Node, _ written: Node, _ key: ConfigurationKey
    ) throws(ConfigurationError) -> UserPhrase {
        guard let said = spoken.scalar?.string, UserPhrase.isSpoken(said) else {
            throw failure(
                spoken, "what '\(key.name)' replaces must be 1 to \(Replacements.spokenLimit) bytes of words")
        }
        guard let text = written.scalar?.string, UserPhrase.isWritten(text) else {
            throw failure(
                written,
                "what '\(key.name)' writes must be a string of at most \(Replacements.writtenLimit) bytes")
        }
        return UserPhrase(spoken: said, written: text)
    }

    private func integer(
        _ node: Node, _ key: ConfigurationKey, _ range: ClosedRange<Int>
    ) throws(ConfigurationError) -> Int {
        guard let value = node.int, range.contains(value) else {
            throw wrong(node, key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private func strings(_ node: Node, _ key: ConfigurationKey) throws(ConfigurationError) -> [String] {
        guard let sequence = node.sequence, sequence.allSatisfy({ $0.scalar != nil }) else {
            throw wrong(node, key, "a list of strings")
        }
        return sequence.compactMap(\.scalar?.string)
    }

    private func reason(
        _ word: String, _ node: Node, _ key: ConfigurationKey, of reasons: [Reason]
    ) throws(ConfigurationError) -> Reason {
        guard let reason = Reason(rawValue: word), reasons.contains(reason) else {
            let known = reasons.map(\.rawValue).joined(separator: ", ")
            throw failure(node, "'\(key.name)' knows no reason '\(word)', but: \(known)")
        }
        return reason
    }

    func wrong(_ node: Node, _ key: ConfigurationKey, _ expected: String) -> ConfigurationError {
        failure(node, "'\(key.name)' must be \(expected)")
    }

    func failure(_ node: Node, _ message: String) -> ConfigurationError {
        ConfigurationError(file: path, line: node.mark?.line, message: message)
    }

    private func syntaxError(_ error: any Error) -> ConfigurationError {
        guard let error = error as? YamlError else {
            return ConfigurationError(file: path, line: nil, message: "cannot be read: \(error)")
        }
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return ConfigurationError(file: path, line: mark.line, message: "is not valid YAML: \(problem)")
        default:
            return ConfigurationError(file: path, line: nil, message: "is not valid YAML: \(error)")
        }
    }
}
