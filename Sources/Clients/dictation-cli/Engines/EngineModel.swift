import Foundation

/// The folder of a model, and what the engine has to read for it.
struct EngineModel: Hashable {
    let folder: String
    /// The folder, and files elsewhere that it links to.
    let paths: [String]

    /// - Parameter path: of a folder that exists.
    init(folder path: String) throws(EngineSetupError) {
        let folder = URL(filePath: path).resolvingSymlinksInPath()
        // Hugging Face's cache has links to files in another folder.
        var paths = [folder.path]
        do {
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
                let target = folder.appending(path: file).resolvingSymlinksInPath().path
                if !target.hasPrefix(folder.path + "/") { paths.append(target) }
            }
        } catch {
            throw EngineSetupError("\(folder.path) cannot be read: \(error.localizedDescription)")
        }
        for path in paths where !EngineUnit.canContain(path) {
            throw EngineSetupError("\(path) has characters that a systemd unit cannot hold.")
        }
        self.folder = folder.path
        self.paths = paths
    }

    /// What `--model` means: the absolute path of a folder, or a name as it is. A path begins with `/` or `.`, or has a
    /// slash.
    static func argument(_ text: String) throws(EngineSetupError) -> String {
        guard text.contains("/") || text.hasPrefix(".") else {
            guard text.wholeMatch(of: /[A-Za-z0-9][\w.-]*/.asciiOnlyWordCharacters()) != nil else {
                throw EngineSetupError("“\(text)” is neither a model's name nor a folder.")
            }
            return text
        }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: text, isDirectory: &isDirectory), isDirectory.boolValue
        else { throw EngineSetupError("There is no folder \(text).") }
        return URL(filePath: text).resolvingSymlinksInPath().path
    }
}
