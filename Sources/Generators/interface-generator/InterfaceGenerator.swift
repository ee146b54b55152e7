import Foundation

/// `interface-generator SOURCES WORDS MANUAL FILE…`: writes the Swift code of the interfaces that the XML files describe
/// into the first folder, the words that clients read into the second, and the manual page into the third.
@main
enum InterfaceGenerator {
    static func main() throws {
        guard CommandLine.arguments.count > 4 else {
            throw GeneratorError(
                "usage: interface-generator SOURCES-FOLDER WORDS-FOLDER MANUAL-FOLDER FILE.xml…")
        }
        let folders = CommandLine.arguments[1...3].map { URL(fileURLWithPath: $0, isDirectory: true) }
        let files = CommandLine.arguments.dropFirst(4).map { URL(fileURLWithPath: $0) }
        for (name, text) in try sources(describedBy: files) {
            try Data(text.utf8).write(to: folders[0].appendingPathComponent(name))
        }
        try Data(words(describedBy: files).utf8).write(to: folders[1].appendingPathComponent("Words.swift"))
        let page = folders[2].appendingPathComponent(InterfaceManual.fileName)
        try Data(manual(describedBy: files).utf8).write(to: page)
    }

    private static func documents(_ files: [URL]) throws -> [InterfaceDocument] {
        try files.sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { try InterfaceReader.read(Data(contentsOf: $0)) }
    }

    /// File names and their texts, those of the vocabulary included.
    static func sources(describedBy files: [URL]) throws -> [String: String] {
        var sources = ["Keys.swift": VocabularySource.keys(try Vocabulary(documents(files)))]
        for file in files { sources.merge(try self.sources(describedBy: file)) { $1 } }
        return sources
    }

    static func words(describedBy files: [URL]) throws -> String {
        VocabularySource.words(try Vocabulary(documents(files)))
    }

    /// The manual page of all the files: of the service's own object first.
    static func manual(describedBy files: [URL]) throws -> String {
        let documents = try documents(files)
        return InterfaceManual.page(
            of: documents.filter { $0.path != nil } + documents.filter { $0.path == nil })
    }

    /// File names and their texts.
    static func sources(describedBy file: URL) throws -> [String: String] {
        let document = try InterfaceReader.read(Data(contentsOf: file))
        var sources: [String: String] = [:]
        for interface in document.interfaces {
            let written = try InterfaceSource(
                interface, path: document.path, origin: file.lastPathComponent
            ).files()
            sources.merge(written) { _, new in new }
        }
        return sources
    }
}
