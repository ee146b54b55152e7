package import DictationCore

/// Text that is written for spoken words, in all or in some applications.
package struct Replacements: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// Nil for all applications.
        package var application: ApplicationPattern?
        package var phrase: UserPhrase
    }

    /// Maximum number of entries of a file.
    static let limit = 1000
    /// Maximum number of bytes, spoken and written.
    static let spokenLimit = 255
    static let writtenLimit = 4096

    package var entries: [Entry] = []

    /// Indices of the entries for an application. Its own come after those for all.
    func indices(for identity: Identity) -> [Int] {
        entries.indices.filter { entries[$0].application == nil }
            + entries.indices.filter { entries[$0].application?.matches(identity) == true }
    }
}
