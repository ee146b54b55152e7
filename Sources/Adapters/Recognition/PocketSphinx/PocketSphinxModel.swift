import Glibc

/// A model in a folder. The files of CMU Sphinx's models have different names for each language.
struct PocketSphinxModel: Sendable {
    /// BCP 47.
    let language: String
    let folder: String

    struct Files: Hashable, Sendable {
        var acoustic: String
        var language: String
        var dictionary: String
    }

    /// Maximum number of names that are read of a folder.
    private static let nameLimit = 100

    /// The model's files; nil if one is missing. Of several candidates the one with the shortest name.
    var files: Files? {
        let names = Self.names(in: folder)
        let folders = names.map { "\(folder)/\($0)" } + [folder]
        func file(_ endings: [String]) -> String? {
            endings.lazy.compactMap { ending in names.first { $0.hasSuffix(ending) } }.first
                .map { "\(folder)/\($0)" }
        }
        guard let acoustic = folders.first(where: { access($0 + "/mdef", R_OK) == 0 }),
            let language = file([".lm.bin", ".lm.dmp", ".lm"]), access(language, R_OK) == 0,
            let dictionary = file([".dict", ".dic"]), access(dictionary, R_OK) == 0
        else { return nil }
        return Files(acoustic: acoustic, language: language, dictionary: dictionary)
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < nameLimit, let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        // en-us.lm.bin comes before en-us-phone.lm.bin.
        return names.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }
}
