/// The control groups of a process, from `/proc/PID/cgroup`: cgroups(7).
struct ControlGroups {
    /// The path in the unified hierarchy; `/` if that is not used.
    let unified: String
    /// The paths in all hierarchies that systemd and snapd use for applications.
    private let paths: [String]

    init(_ cgroup: [UInt8]) throws(IdentityError) {
        guard let text = String(validating: cgroup, as: UTF8.self) else {
            throw IdentityError(.malformed, "cgroup")
        }
        var unified = "/"
        var paths: [String] = []
        for line in text.split(separator: "\n") {
            // number:controllers:path, and a path may contain colons.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].hasPrefix("/") else {
                throw IdentityError(.malformed, "cgroup")
            }
            switch fields[1] {
            case "": unified = String(fields[2])
            case "name=systemd", "freezer": break
            default: continue
            }
            paths.append(String(fields[2]))
        }
        self.unified = unified
        self.paths = paths
    }

    /// The snap that the process belongs to.
    ///
    /// snapd puts processes into `snap.NAME.….scope` and `.service`, and older ones into the freezer's `snap.NAME`.
    /// Two different names, or an invalid name, are an error.
    var snap: String? {
        get throws(IdentityError) {
            let names = Set(paths.flatMap { $0.split(separator: "/") }.compactMap(Self.snap(of:)))
            guard let name = names.first else { return nil }
            guard names.count == 1, Self.isSnapName(name) else { throw IdentityError(.malformed, "cgroup") }
            return name
        }
    }

    /// The Flatpak application that the process belongs to: flatpak-run(1) asks systemd, if there is one, for the scope
    /// `app-flatpak-ID-PID.scope`.
    ///
    /// Two different applications, or an invalid ID, are an error.
    var flatpak: String? {
        get throws(IdentityError) {
            let ids = Set(paths.flatMap { $0.split(separator: "/") }.compactMap(Self.flatpak(of:)))
            guard let id = ids.first else { return nil }
            guard ids.count == 1, FlatpakInfo.isValid(id) else { throw IdentityError(.malformed, "cgroup") }
            return id
        }
    }

    private static func flatpak(of component: Substring) -> String? {
        guard let name = SystemdUnit.unescaped(component), let rest = name.dropping("app-flatpak-"),
            let end = rest.lastIndex(of: "-"), rest.hasSuffix(".scope")
        else { return nil }
        return String(rest[..<end])
    }

    private static func snap(of component: Substring) -> String? {
        let parts = component.split(separator: ".", omittingEmptySubsequences: false)
        // A slice is named after a group of snaps, not after one snap.
        guard parts.count > 1, parts[0] == "snap", parts.last != "slice" else { return nil }
        return SystemdUnit.unescaped(parts[1]) ?? ""
    }

    /// Lower-case letters, digits and dashes, at most 40, optionally followed by `_` and the key of a parallel
    /// instance.
    private static func isSnapName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        let isLetterOrDigit = { (byte: UInt8) in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return (1...2).contains(parts.count)
            && (1...40).contains(parts[0].count)
            && parts[0].allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
            && parts[1...].allSatisfy { (1...10).contains($0.count) && $0.allSatisfy(isLetterOrDigit) }
    }
}

extension String {
    fileprivate func dropping(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
