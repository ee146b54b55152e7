import DictationService
import Foundation

/// `configuration-generator FOLDER`: writes what people read of the configuration's table of keys: the manual page and
/// a sample file.
@main
enum ConfigurationGenerator {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: configuration-generator FOLDER\n".utf8))
            exit(64)
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
        for (name, text) in texts {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
    }

    /// Their places in the folder, and what they say.
    static var texts: [String: String] {
        let defaults = Configuration()
        return [
            "man/dictation.conf.5": ConfigurationManual.page(defaults),
            "dictation.yaml": SampleConfiguration.text(defaults),
        ]
    }
}
