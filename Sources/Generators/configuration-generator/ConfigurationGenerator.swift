import DictationConfiguration
import Foundation
import LanguageFiles

/// `configuration-generator FOLDER`: writes the manual page and a sample file from the table of configuration keys, and
/// a manual page of spoken marks and commands from each language's file.
@main
enum ConfigurationGenerator {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: configuration-generator FOLDER\n".utf8))
            exit(64)
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
        for (name, text) in try texts() {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
    }

    /// The paths in the folder, and their texts.
    static func texts() throws -> [String: String] {
        let defaults = Configuration()
        var texts = [
            "man/dictation.conf.5": ConfigurationManual.page(defaults),
            "dictation.yaml": SampleConfiguration.text(defaults),
        ]
        let folder = LanguageFolder.ofProgram()
        for language in folder.languages {
            guard let table = try folder.table(for: language) else { continue }
            let manual = SpeechManual(table, others: folder.languages.filter { $0 != language })
            texts["man/\(manual.name).7"] = manual.page
        }
        return texts
    }
}
