/// The file `.flatpak-info`, which Flatpak writes into the root of each sandbox, read-only there: flatpak-metadata(5).
enum FlatpakInfo {
    static let name = ".flatpak-info"
    /// In bytes. A real one has about one thousand.
    static let limit = 65536

    /// The ID of the application, or of a runtime that is run without one.
    static func applicationID(_ file: [UInt8]) throws(IdentityError) -> String {
        let names = try names(in: file)
        guard let id = names["Application"] ?? names["Runtime"], isValid(id) else {
            throw IdentityError(.malformed, name)
        }
        return id
    }

    /// The value of `name` in each group. Stricter than a general parser, because identity depends on it: a line that
    /// Flatpak would not write, or a second `name`, is an error.
    private static func names(in file: [UInt8]) throws(IdentityError) -> [String: String] {
        guard let text = String(validating: file, as: UTF8.self) else {
            throw IdentityError(.malformed, name)
        }
        var names: [String: String] = [:]
        var group: String?
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("["), line.hasSuffix("]") {
                group = String(line.dropFirst().dropLast())
            } else if let group, let equals = line.firstIndex(of: "=") {
                guard line[..<equals] == "name" else { continue }
                let value = String(line[line.index(after: equals)...])
                guard names.updateValue(value, forKey: group) == nil else {
                    throw IdentityError(.malformed, name)
                }
            } else {
                throw IdentityError(.malformed, name)
            }
        }
        return names
    }

    /// Three or more parts between dots, of letters, digits, `_` and `-`, 255 bytes at most.
    static func isValid(_ id: String) -> Bool {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        return id.utf8.count <= 255 && parts.count >= 3
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.unicodeScalars.allSatisfy {
                        $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
                            || $0 == "_" || $0 == "-"
                    }
            }
    }
}
