#if DEBUG
    import Glibc

    @testable import ClientIdentity
    @testable import Desktop
    @testable import IBus

    extension FuzzTarget {
        /// Files of keys and values that other programs write: desktop entries, `portals.conf`, `.flatpak-info`, the address
        /// of IBus; and the files of `/proc` that identify an application.
        static let keyFiles = FuzzTarget("key-files") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let file = KeyFile(text)
            for key in ["DBusName", "Interfaces", "default", ""] {
                for group in ["portal", "preferred", ""] {
                    guard let value = file[group, key] else { continue }
                    try require(!value.contains(where: \.isNewline), "a value of two lines")
                    try require(
                        file.list(group, key)?.isEmpty != true || !value.contains { $0 != ";" }, "a list")
                }
            }
            if let address = try? IBusAddress(environment: [:]).address(in: text) {
                try require(!address.isEmpty && !address.contains("\n"), "an invalid address of IBus")
            }
            if let id = try? FlatpakInfo.applicationID(bytes) { try check(id: id) }
            try checkProcess(bytes)
        }

        private static func checkProcess(_ bytes: [UInt8]) throws {
            if let groups = try? ControlGroups(bytes) {
                if let id = try? groups.flatpak { try check(id: id) }
                if let snap = try? groups.snap {
                    try require(!snap.isEmpty && snap.utf8.count <= 51, "an invalid name of a snap")
                }
                if let unit = SystemdUnit(of: groups.unified, uid: 1000), let id = unit.applicationID {
                    try require(!id.isEmpty && !id.contains("/"), "an invalid ID of an application")
                }
            }
            if let users = try? ProcessUsers(bytes) { try require(users.uids.count == 4, "not four users") }
            _ = try? ProcessStatus(bytes)
        }

        private static func check(id: String) throws(FuzzFailure) {
            let marks = Array("._-".utf8)
            let isPlain = id.utf8.allSatisfy { byte in
                isalnum(Int32(byte)) != 0 || marks.contains(byte)
            }
            try require(isPlain && id.utf8.count <= 255, "an invalid ID of a Flatpak application")
        }
    }
#endif
