import DBus
import DictationCore

// The values of a user's settings on the bus: see SetSettings. Sizes are limited, because any program of the user can call it.

extension ConfigurationKey {
    /// Maximum number of bytes of a string, and of one in a list.
    private static let textLimit = 255
    private static let itemLimit = 64
    /// Maximum number of strings in a list.
    private static let countLimit = 64
    /// Maximum number of bytes of all replacements together.
    private static let replacementsLimit = 131_072

    /// The key's value; nil if SetSettings does not have the key.
    func busValue(in configuration: Configuration) -> Value? {
        switch kind {
        case .boolean(let field): .bool(configuration[keyPath: field])
        case .string(let field): .string(configuration[keyPath: field])
        case .languages(let field):
            configuration[keyPath: field].count == 1
                ? .string(configuration[keyPath: field][0])
                : Value(configuration[keyPath: field].map { BusText($0) })
        case .seconds(let field, _):
            .uint32(UInt32(clamping: configuration[keyPath: field].components.seconds))
        case .millisecondsOrZero(let field, _):
            .uint32(UInt32(clamping: Int(configuration[keyPath: field] / .milliseconds(1))))
        case .strings(let field): Value(configuration[keyPath: field].sorted().map { BusText($0) })
        case .reasons(let field):
            Value(
                Self.optionalReasons.filter(configuration[keyPath: field].contains).map {
                    BusText($0.rawValue)
                })
        case .limits(let field):
            Value(
                Dictionary(
                    uniqueKeysWithValues: configuration[keyPath: field].map {
                        (BusText($0.key.rawValue), UInt32(clamping: $0.value.components.seconds))
                    }))
        case .formatting(let field): .string(configuration[keyPath: field].rawValue)
        case .replacements(let field): configuration[keyPath: field].busValue
        case .integer, .names, .engines, .models, .applications, .cleanUp, .command, .words: nil
        }
    }

    /// Sets the key to a value of SetSettings.
    func set(_ value: Value, in configuration: inout Configuration) throws(SettingError) {
        func checked<T>(_ value: T?) throws(SettingError) -> T {
            guard let value else { throw SettingError(message: "Setting '\(name)' must be \(type)\(sizes).") }
            return value
        }
        func number(in range: ClosedRange<Int>, orZero: Bool = false) throws(SettingError) -> Int {
            let number = try checked(UInt32(value).map(Int.init))
            return try checked(range.contains(number) || orZero && number == 0 ? number : nil)
        }
        switch kind {
        case .boolean(let field): configuration[keyPath: field] = try checked(Bool(value))
        case .string(let field): configuration[keyPath: field] = try checked(Self.text(value))
        case .languages(let field):
            let languages = try checked(Self.text(value).map { [$0] } ?? Self.texts(value))
            let isList = (1...Configuration.languageLimit).contains(languages.count)
            configuration[keyPath: field] = try checked(isList ? languages : nil)
        case .seconds(let field, let range):
            configuration[keyPath: field] = .seconds(try number(in: range))
        case .millisecondsOrZero(let field, let range):
            configuration[keyPath: field] = .milliseconds(try number(in: range, orZero: true))
        case .strings(let field):
            let texts = try checked(Self.texts(value))
            configuration[keyPath: field] = Set(texts.map { $0.lowercased() })
        case .reasons(let field):
            let reasons = try checked(Self.texts(value)).map { text throws(SettingError) in
                try checked(Reason(rawValue: text).flatMap { Self.optionalReasons.contains($0) ? $0 : nil })
            }
            configuration[keyPath: field] = Self.interrupting(reasons)
        case .limits(let field):
            configuration[keyPath: field] = try checked(Self.limits(value))
        case .formatting(let field):
            configuration[keyPath: field] = try checked(
                Self.text(value).flatMap(FormattingStyle.init(rawValue:)))
        case .replacements(let field):
            configuration[keyPath: field] = try Replacements(value, limit: Self.replacementsLimit)
        case .integer, .names, .engines, .models, .applications, .cleanUp, .command, .words: break
        }
    }

    /// The limits of texts on the bus, for errors.
    private var sizes: String {
        switch kind {
        case .string: " of at most \(Self.textLimit) bytes"
        case .languages: ": at most \(Configuration.languageLimit)"
        case .strings: ": at most \(Self.countLimit), each of at most \(Self.itemLimit) bytes"
        default: ""
        }
    }

    /// Copies the key's value to another configuration.
    func copy(from configuration: Configuration, to other: inout Configuration) {
        func copy<T>(_ field: Field<T>) { other[keyPath: field] = configuration[keyPath: field] }
        switch kind {
        case .boolean(let field): copy(field)
        case .integer(let field, _): copy(field)
        case .string(let field), .command(let field): copy(field)
        case .names(let field), .languages(let field): copy(field)
        case .engines(let field): copy(field)
        case .models(let field): copy(field)
        case .seconds(let field, _), .millisecondsOrZero(let field, _): copy(field)
        case .strings(let field): copy(field)
        case .reasons(let field): copy(field)
        case .applications(let field): copy(field)
        case .limits(let field): copy(field)
        case .formatting(let field): copy(field)
        case .cleanUp(let field): copy(field)
        case .replacements(let field): copy(field)
        case .words(let field): copy(field)
        }
    }

    private static func text(_ value: Value, limit: Int = textLimit) -> String? {
        BusText(value).flatMap { $0.count <= limit && !$0.string.utf8.contains(0) ? $0.string : nil }
    }

    private static func texts(_ value: Value) -> [String]? {
        guard case .array(let values, BusText.signature) = value, values.count <= countLimit else {
            return nil
        }
        let texts = values.compactMap { text($0, limit: itemLimit) }
        return texts.count == values.count ? texts : nil
    }

    private static func limits(_ value: Value) -> [Reason: Duration]? {
        guard let seconds = [BusText: UInt32](value) else { return nil }
        var limits: [Reason: Duration] = [:]
        for (word, seconds) in seconds {
            guard let reason = limitedReasons.first(where: { BusText($0.rawValue) == word }),
                resumeRange.contains(Int(seconds))
            else { return nil }
            limits[reason] = .seconds(Int(seconds))
        }
        return limits
    }
}

extension Replacements {
    /// `a(sss)`: the pattern of applications, or an empty string for all; what is said; and what is written.
    fileprivate var busValue: Value {
        func entry(_ application: String, _ phrase: UserPhrase) -> Value {
            .structure([.string(application), .string(phrase.spoken), .string(phrase.written)])
        }
        let entries =
            everywhere.map { entry("", $0) }
            + byApplication.flatMap { own in own.phrases.map { entry("\(own.pattern)", $0) } }
        return .array(entries, of: "(sss)")
    }

    fileprivate init(_ value: Value, limit: Int) throws(SettingError) {
        func failure(_ expected: String) -> SettingError {
            SettingError(message: "Setting 'replacements' must have \(expected).")
        }
        guard case .array(let entries, "(sss)") = value else {
            throw failure("applications, spoken phrases and written texts (a(sss))")
        }
        guard entries.count <= Self.limit else { throw failure("at most \(Self.limit) phrases") }
        self.init()
        var bytes = 0
        for entry in entries {
            guard case .structure(let fields) = entry, fields.count == 3,
                let application = BusText(fields[0]), let spoken = BusText(fields[1]),
                let written = BusText(fields[2])
            else { throw failure("applications, spoken phrases and written texts (a(sss))") }
            bytes += application.count + spoken.count + written.count
            guard bytes <= limit else { throw failure("at most \(limit) bytes") }
            guard application.count <= Self.patternLimit, UserPhrase.isSpoken(spoken.string),
                UserPhrase.isWritten(written.string)
            else {
                throw failure(
                    "phrases of 1 to \(Self.spokenLimit) bytes of words, at most \(Self.writtenLimit) bytes for each, and "
                        + "patterns of at most \(Self.patternLimit) bytes"
                )
            }
            let phrase = UserPhrase(spoken: spoken.string, written: written.string)
            if application.isEmpty {
                add(phrase, for: nil)
            } else if let pattern = ApplicationPattern(application.string) {
                add(phrase, for: pattern)
            } else {
                throw failure("patterns of applications: \"*\" or a kind, a colon and an id")
            }
        }
        guard byApplication.count <= Self.applicationLimit else {
            throw failure("at most \(Self.applicationLimit) patterns of applications")
        }
    }
}
