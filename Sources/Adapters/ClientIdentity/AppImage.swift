import Glibc

/// Finds the AppImage that serves a mounted file system.
///
/// An AppImage mounts the file system that it contains and starts a program of it. The mount point has another name at each
/// start, so a path there identifies nothing. The process that serves the file system still runs the AppImage itself.
///
/// Linux says since version 6.16 which process that is. Before, the name of the file system counts, which is that of the
/// AppImage's file and is chosen by the user who mounts it. So it only counts if every file system of that name has a
/// server. The environment of a process, such as `APPIMAGE`, never counts: any process can set it.
struct AppImage {
    /// The path of `/proc`.
    let proc: Folder
    /// The path of the device that servers of file systems have open.
    let device: String

    private static let maximumOfProcesses = 65536
    private static let maximumOfDescriptors = 4096
    private static let limitOfMounts = 1 << 22

    /// The path of the AppImage whose file system has this device number.
    /// - Parameter isOwn: whether a process belongs to the user of that file system.
    /// - Returns: nil if it is not the file system of one AppImage for certain.
    func path(serving number: DeviceNumber, isOwn: (Folder) -> Bool) -> String? {
        guard let mounts = try? proc.contents(of: "self/mountinfo", limit: Self.limitOfMounts) else {
            return nil
        }
        let served = Mount.all(mounts).filter(\.isServed)
        guard let mount = served.first(where: { $0.device == number }) else { return nil }
        let servers = processes().filter { isOwn($0.folder) }
        if let exact = servers.first(where: { $0.connections.contains(mount.device.minor) }) {
            return path(of: exact)
        }
        guard servers.allSatisfy(\.connections.isEmpty) else { return nil }

        let namesakes = Set(served.filter { $0.source == mount.source }.map(\.device))
        let candidates = servers.filter { $0.program == mount.source }
        let paths = Set(candidates.compactMap(path))
        guard namesakes.count <= candidates.count, paths.count == 1 else { return nil }
        return paths.first
    }

    /// The processes that serve file systems.
    private func processes() -> [Server] {
        guard let names = try? proc.names(limit: Self.maximumOfProcesses) else { return [] }
        return names.filter { Int32($0) != nil }.compactMap { name in
            guard let folder = try? proc.folder(name) else { return nil }
            return server(folder)
        }
    }

    private func server(_ process: Folder) -> Server? {
        guard let descriptors = try? process.folder("fd"),
            let numbers = try? descriptors.names(limit: Self.maximumOfDescriptors)
        else { return nil }
        // The name first: reading more of a file can wait for the file system that it lies on.
        let open = numbers.filter {
            (try? descriptors.target(of: $0)) == device
                && (try? descriptors.status(of: $0).st_rdev) == deviceNumber
        }
        guard !open.isEmpty, let target = try? process.target(of: "exe") else { return nil }
        let connections = open.compactMap { descriptor -> UInt32? in
            let lines = try? process.contents(of: "fdinfo/\(descriptor)", limit: 4096)
            let prefix = Array("fuse_connection:\t".utf8)
            let line = lines?.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: prefix) }
            return line.flatMap { UInt32(String(decoding: $0.dropFirst(prefix.count), as: UTF8.self)) }
        }
        return Server(
            folder: process, program: target.split(separator: "/").last.map(String.init) ?? "",
            connections: connections)
    }

    private var deviceNumber: dev_t? {
        var status = stat()
        return stat(device, &status) == 0 ? status.st_rdev : nil
    }

    private func path(of server: Server) -> String? {
        guard let path = try? Executable(of: server.folder).path,
            let start = try? server.folder.start(of: "exe", count: 11), start.count == 11
        else { return nil }
        // "AI" and the version of the format, in the padding of an ELF header.
        return Array(start[8..<10]) == Array("AI".utf8) && (1...2).contains(start[10]) ? path : nil
    }

    /// A process that serves file systems.
    private struct Server {
        let folder: Folder
        /// The name of its program.
        let program: String
        /// The file systems that it serves; empty if the kernel does not say.
        let connections: [UInt32]
    }
}

/// A line of `/proc/PID/mountinfo`: proc(5).
struct Mount {
    let device: DeviceNumber
    let type: Substring
    let source: String

    /// Whether a process serves it.
    var isServed: Bool { type == "fuse" || type.hasPrefix("fuse.") }

    static func all(_ contents: [UInt8]) -> [Mount] {
        contents.split(separator: UInt8(ascii: "\n")).compactMap {
            String(validating: $0, as: UTF8.self).flatMap(Mount.init)
        }
    }

    private init?(_ line: String) {
        let fields = line.split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count > 6, let end = fields[6...].firstIndex(of: "-"), fields.count > end + 2 else {
            return nil
        }
        let numbers = fields[2].split(separator: ":").compactMap { UInt32($0) }
        guard numbers.count == 2 else { return nil }
        device = DeviceNumber(major: numbers[0], minor: numbers[1])
        type = fields[end + 1]
        source = Self.unescaped(fields[end + 2])
    }

    /// Space, tabulator, line feed and backslash are written as `\` and three octal digits.
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = field.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The number of a device, or of a file system without one: makedev(3).
struct DeviceNumber: Hashable {
    let major: UInt32
    let minor: UInt32
}

extension DeviceNumber {
    init(_ number: dev_t) {
        major = UInt32(truncatingIfNeeded: (number >> 8) & 0xFFF | (number >> 32) & 0xFFFF_F000)
        minor = UInt32(truncatingIfNeeded: number & 0xFF | (number >> 12) & 0xFFFF_FF00)
    }
}
