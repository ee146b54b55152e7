import Foundation

/// `interface-generator OUTPUT FILE…`: writes the Swift code of the interfaces that the XML files describe.
@main
enum InterfaceGenerator {
    static func main() throws {
        guard CommandLine.arguments.count > 2 else {
            throw GeneratorError("usage: interface-generator OUTPUT-FOLDER FILE.xml…")
        }
        let output = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
        for file in CommandLine.arguments.dropFirst(2) {
            for (name, text) in try sources(describedBy: URL(fileURLWithPath: file)) {
                try Data(text.utf8).write(to: output.appendingPathComponent(name))
            }
        }
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
