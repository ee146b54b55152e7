import Foundation

/// The variables by which programs use a language, whatever locales the machine has. The locale is in a folder of the test, and has
/// the properties of C.UTF-8. Under C.UTF-8 itself the C library of Debian 13 does not translate.
public func environment(
    ofLanguage language: String, in folder: TemporaryDirectory
) throws -> [String: String] {
    let name = "\(language).UTF-8"
    let locales = folder.path(of: "locales")
    let locale = "\(locales)/\(name)"
    if !FileManager.default.fileExists(atPath: locale) {
        try FileManager.default.createDirectory(atPath: locales, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "/usr/lib/locale/C.utf8", toPath: locale)
    }
    return ["LC_ALL": name, "LANGUAGE": language, "LOCPATH": locales]
}
