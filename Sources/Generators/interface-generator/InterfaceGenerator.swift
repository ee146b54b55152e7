import Foundation

/// `interface-generator REPOSITORY`: writes the Swift code of the interfaces in `dbus/*.xml`, and their manual page.
@main
enum InterfaceGenerator {
    private static let interfaceFolder = "Sources/Core/DictationInterface/Generated"
    /// Interfaces that are not documented, because only this service's own processes use them.
    private static let privateFolder = "dbus/private"
    private static let wordsFile = "Sources/Clients/DictationClient/Generated/Words.swift"

    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            throw GeneratorError("usage: interface-generator REPOSITORY")
        }
        let repository = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
        let files = try documents(in: repository)
        try? FileManager.default.removeItem(at: repository.appending(path: interfaceFolder))
        try write(files, to: repository, configuration: repository.appending(path: ".swift-format"))
    }

    /// The XML files.
    static func documents(in repository: URL) throws -> [URL] {
        try ["dbus", privateFolder].flatMap { folder in
            try FileManager.default.contentsOfDirectory(
                at: repository.appending(path: folder), includingPropertiesForKeys: nil
            ).filter { $0.pathExtension == "xml" }
        }
    }

    private static func isPrivate(_ file: URL) -> Bool { file.path.contains("/\(privateFolder)/") }

    /// Writes everything that follows from the XML files below a folder, and formats it.
    /// - Returns: the paths of what was written, in that folder.
    @discardableResult
    static func write(_ xmlFiles: [URL], to folder: URL, configuration: URL) throws -> [String] {
        let files = xmlFiles.sorted { $0.lastPathComponent < $1.lastPathComponent }
        let documents = try files.map { file in
            do {
                return try InterfaceReader.read(Data(contentsOf: file))
            } catch {
                throw GeneratorError("\(file.lastPathComponent): \(error)")
            }
        }
        let vocabulary = try Vocabulary(documents)
        var texts = [
            "\(interfaceFolder)/DictationErrorKind.swift": VocabularySource.errors(vocabulary),
            "\(interfaceFolder)/Keys.swift": VocabularySource.keys(vocabulary),
            wordsFile: VocabularySource.words(vocabulary),
        ]
        for (name, text) in try DetailsSource.files(vocabulary) {
            texts["\(interfaceFolder)/\(name)"] = text
        }
        for (file, document) in zip(files, documents) {
            for interface in document.interfaces {
                let source = try InterfaceSource(
                    interface, path: document.path,
                    origin: (isPrivate(file) ? "private/" : "") + file.lastPathComponent)
                for (name, text) in source.files { texts["\(interfaceFolder)/\(name)"] = text }
            }
        }
        let swift = texts.keys.sorted()
        let published = zip(files, documents).filter { !isPrivate($0.0) }.map(\.1)
        // The service's own object comes first in the manual, then others, then those that programs export.
        let ownPath = published.compactMap(\.path).min { $0.count < $1.count }
        texts["packaging/man/\(InterfaceManual.fileName)"] = InterfaceManual.page(
            of: published.filter { $0.path == ownPath && ownPath != nil }
                + published.filter { $0.path != ownPath && $0.path != nil }
                + published.filter { $0.path == nil })
        for (path, text) in texts {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try format(swift.map { folder.appending(path: $0).path }, configuration)
        return texts.keys.sorted()
    }

    private static func format(_ files: [String], _ configuration: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["swift", "format", "format", "--in-place", "--configuration", configuration.path] + files
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw GeneratorError("swift format failed") }
    }
}
