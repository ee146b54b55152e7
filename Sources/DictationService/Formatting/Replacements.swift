package import DictationCore

/// What the user says for something else, everywhere or in some applications.
package struct Replacements: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// Nil everywhere.
        package var application: ApplicationPattern?
        package var phrase: UserPhrase
    }

    /// The most entries of a file.
    static let limit = 1000
    /// Bytes of what is said, and of what is written.
    static let spokenLimit = 255
    static let writtenLimit = 4096

    package var entries: [Entry] = []

    /// Those of an application stand above those for everywhere.
    func phrases(for identity: Identity) -> [UserPhrase] {
        let everywhere = entries.filter { $0.application == nil }
        let own = entries.filter { $0.application?.matches(identity) == true }
        return (everywhere + own).map(\.phrase)
    }
}
