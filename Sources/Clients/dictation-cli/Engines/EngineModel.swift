import Foundation

/// What `--model` means: a model of Hugging Face by its name, or a folder of this machine.
struct EngineModel: Hashable {
    /// As the engine takes it: `base-int8`, `Systran/faster-whisper-small`, or an absolute path.
    let argument: String
    /// What the engine has to read: the folder, and files elsewhere that it links to.
    let paths: [String]

    var isFolder: Bool { argument.hasPrefix("/") }

    /// - Parameter text: a path begins with `/` or `.`, or is that of a folder. Other text is a name.
    init(_ text: String) throws(EngineSetupError) {
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isDirectory)
        guard text.hasPrefix("/") || text.hasPrefix(".") || (text.contains("/") && exists) else {
            guard
                text.wholeMatch(of: /[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?/.asciiOnlyWordCharacters())
                    != nil
            else { throw EngineSetupError("“\(text)” is neither a model's name nor a folder.") }
            argument = text
            paths = []
            return
        }
        guard exists, isDirectory.boolValue else { throw EngineSetupError("There is no folder \(text).") }
        let folder = URL(filePath: text).resolvingSymlinksInPath()
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
        argument = folder.path
        self.paths = paths
    }
}
