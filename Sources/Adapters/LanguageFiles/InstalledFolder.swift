import Glibc

/// Folders of data that are installed with the running program.
public enum InstalledFolder {
    /// PocketSphinx's model for en-US, if it is installed with the program: the portable archive has one.
    public static let model = find("share/dictation/pocketsphinx/en-us", containing: "en-us.lm.bin")

    /// The folder of all data that is installed with the program; nil if it runs where it was built.
    public static let data = find("share/dictation", containing: "languages/en.yaml")

    /// The nearest folder of that path, seen from the program's folder and from those above it, that contains a file.
    ///
    /// - Parameter source: a path to look for as well, for programs that run where they were built.
    static func find(_ path: String, orSource source: String? = nil, containing file: String) -> String? {
        var folder = (executable() ?? "")[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            let candidates = [path, source].compactMap { $0 }.map { "\(folder)/\($0)" }
            if let found = candidates.first(where: { access("\($0)/\(file)", R_OK) == 0 }) { return found }
        }
        return nil
    }

    private static func executable() -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return count > 0 ? String(validating: buffer[..<count], as: UTF8.self) : nil
    }
}
