/// A unit of a user's systemd, from the path of a control group.
struct SystemdUnit {
    /// The unit's control group, without the leading slash.
    let group: String
    /// The application in the unit's name:
    /// https://systemd.io/DESKTOP_ENVIRONMENTS, "XDG standardization for applications".
    let applicationID: String?

    /// The innermost unit of a path, if it belongs to the user and the process is directly in it.
    ///
    /// A process in a subgroup that the unit has made is not its first. Nor is one in a unit inside an application's
    /// slice, because nothing tells which of the slice's units is the application.
    init?(of path: String, uid: UInt32) {
        let components = path.split(separator: "/")
        guard let name = components.last, components.dropLast().contains("user@\(uid).service"),
            !components.contains("..")
        else { return nil }
        group = components.joined(separator: "/")
        applicationID = Self.applicationID(of: name)
    }

    /// `app[-launcher]-ID-RANDOM.scope` and `.slice`, `app[-launcher]-ID[@RANDOM].service`.
    static func applicationID(of unit: Substring) -> String? {
        guard let dot = unit.lastIndex(of: ".") else { return nil }
        var parts = unit[..<dot].split(separator: "-", omittingEmptySubsequences: false)
        switch unit[dot...] {
        case ".scope", ".slice":
            guard parts.count > 1 else { return nil }
            parts.removeLast()
        case ".service":
            if let last = parts.popLast() {
                parts.append(last.prefix { $0 != "@" })
            }
        default: return nil
        }
        // Dashes within an identifier are escaped.
        guard parts.first == "app", (2...3).contains(parts.count), let last = parts.last,
            let id = unescaped(last), isApplicationID(id)
        else { return nil }
        return id
    }

    /// A part of a unit's name without its escapes, `\x2d` for `-`: systemd.unit(5).
    /// - Returns: nil if the escapes are invalid.
    static func unescaped(_ name: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(name).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.dropFirst().prefix(2)
            guard rest.popFirst() == UInt8(ascii: "x"), digits.count == 2,
                digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let value = UInt8(String(Substring(digits)), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Whether this can be the name of a desktop file.
    private static func isApplicationID(_ id: String) -> Bool {
        (1...255).contains(id.utf8.count) && !id.contains("/")
            && id.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
