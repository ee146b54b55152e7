package import DictationCore

/// Text that is written for spoken phrases, in all or in some applications.
package struct Replacements: Hashable, Sendable {
    package struct OfApplications: Hashable, Sendable {
        package var pattern: ApplicationPattern
        package var phrases: [UserPhrase]
    }

    /// Maximum number of phrases.
    package static let limit = 1000
    /// Maximum number of patterns of applications. Each is compared at every Start.
    package static let applicationLimit = 32
    /// Maximum number of bytes, spoken and written.
    package static let spokenLimit = 255
    package static let writtenLimit = 4096

    package var everywhere: [UserPhrase] = []
    /// In the order of the file.
    package var byApplication: [OfApplications] = []

    package init() {}

    package var count: Int { byApplication.reduce(everywhere.count) { $0 + $1.phrases.count } }

    /// The phrases for an application. Its own come after those for all, and take precedence.
    package func phrases(for identity: Identity) -> [UserPhrase] {
        everywhere + byApplication.filter { $0.pattern.matches(identity) }.flatMap(\.phrases)
    }

    /// - Parameter application: nil for all applications.
    mutating func add(_ phrase: UserPhrase, for application: ApplicationPattern?) {
        guard let application else { return everywhere.append(phrase) }
        if byApplication.last?.pattern == application {
            byApplication[byApplication.count - 1].phrases.append(phrase)
        } else {
            byApplication.append(OfApplications(pattern: application, phrases: [phrase]))
        }
    }
}

extension UserPhrase {
    /// Whether a text has words and is not too long.
    static func isSpoken(_ text: String) -> Bool {
        text.utf8.count <= Replacements.spokenLimit && !text.utf8.contains(0)
            && text.contains { !$0.isWhitespace }
    }

    /// Whether a text can be written.
    static func isWritten(_ text: String) -> Bool {
        text.utf8.count <= Replacements.writtenLimit && !text.utf8.contains(0)
    }
}
