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

    /// Indices of the entries that hold for an application, which has its own behind those for everywhere.
    func indices(for identity: Identity) -> [Int] {
        entries.indices.filter { entries[$0].application == nil }
            + entries.indices.filter { entries[$0].application?.matches(identity) == true }
    }
}
