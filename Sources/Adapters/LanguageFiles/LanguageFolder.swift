public import DictationCore
import EventLoop
import Glibc

/// The folder of language files, one for each language.
public struct LanguageFolder: Sendable {
    public let path: String

    /// Maximum number of files that are read.
    private static let mostLanguages = 64

    /// The folder that the package installs.
    public static let installed = "/usr/share/dictation/languages"

    public init(path: String) {
        self.path = path
    }

    /// The folder for the running program: `share/dictation/languages` next to the program's folder if it is installed,
    /// `packaging/languages` of the sources if it runs where it was built, else the one that the package installs.
    public static func ofProgram() -> LanguageFolder {
        let found = InstalledFolder.find(
            "share/dictation/languages", orSource: "packaging/languages", containing: "en.yaml")
        return LanguageFolder(path: found ?? installed)
    }

    /// The languages that have files, without region.
    public var languages: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var languages: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".yaml") { languages.append(String(name.dropLast(5))) }
        }
        return Array(languages.sorted().prefix(Self.mostLanguages))
    }

    /// The table for a BCP 47 tag: en-GB reads en.yaml.
    /// - Returns: nil if there is no file for the language.
    public func table(for language: String) throws(LanguageFileError) -> LanguageTable? {
        let name = Self.primary(of: language)
        guard !name.isEmpty, name.utf8.allSatisfy({ (97...122).contains($0) }) else { return nil }
        let file = "\(path)/\(name).yaml"
        guard let text = try Self.read(file) else { return nil }
        return try LanguageFile(path: file).table(text)
    }

    /// The language of a tag without its region: en of en-GB.
    public static func primary(of language: String) -> String {
        language.prefix { $0 != "-" && $0 != "_" }.lowercased()
    }

    /// The region of a language tag: GB of en-GB.
    public static func region(of language: String) -> String? {
        language.split(whereSeparator: { $0 == "-" || $0 == "_" }).dropFirst()
            .first { $0.utf8.count == 2 }?.uppercased()
    }

    private static func read(_ path: String) throws(LanguageFileError) -> String? {
        do throws(EventLoopError) {
            return try TextFile.read(path)
        } catch {
            throw LanguageFileError(file: path, line: nil, message: "cannot be read: \(error.reason)")
        }
    }
}
