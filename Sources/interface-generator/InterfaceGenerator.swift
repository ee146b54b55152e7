import Foundation

/// `interface-generator SOURCES MANUAL FILE…`: writes the Swift code of the interfaces that the XML files describe into
/// the first folder, and their manual page into the second.
@main
enum InterfaceGenerator {
    static func main() throws {
        guard CommandLine.arguments.count > 3 else {
            throw GeneratorError("usage: interface-generator SOURCES-FOLDER MANUAL-FOLDER FILE.xml…")
        }
        let folders = CommandLine.arguments[1...2].map { URL(fileURLWithPath: $0, isDirectory: true) }
        let files = CommandLine.arguments.dropFirst(3).map { URL(fileURLWithPath: $0) }
        for file in files {
            for (name, text) in try sources(describedBy: file) {
                try Data(text.utf8).write(to: folders[0].appendingPathComponent(name))
            }
        }
        let page = folders[1].appendingPathComponent(InterfaceManual.fileName)
        try Data(manual(describedBy: files).utf8).write(to: page)
    }

    /// The manual page of all the files: of the service's own object first.
    static func manual(describedBy files: [URL]) throws -> String {
        let documents = try files.sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { try InterfaceReader.read(Data(contentsOf: $0)) }
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
