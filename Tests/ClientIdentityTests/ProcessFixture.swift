import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Glibc

@testable import ClientIdentity

/// A `/proc` and a hierarchy of control groups made of ordinary files.
struct ProcessFixture {
    static let uid: UInt32 = 1000
    /// Stands for `/dev/fuse`.
    static let servedDevice = "/dev/null"
    let directory: TemporaryDirectory
    /// The program of a process, unless it has another.
    let program: String

    init() throws {
        directory = try TemporaryDirectory()
        program = try directory.write("a program", to: "bin/editor")
        for folder in ["proc", "cgroup"] {
            try FileManager.default.createDirectory(
                atPath: directory.path(of: folder), withIntermediateDirectories: true)
        }
    }

    /// Adds a process with ordinary values for missing arguments.
    /// - Parameters:
    ///   - cgroup: its path in the unified hierarchy; it becomes a member of that group.
    ///   - info: the contents of its `.flatpak-info`.
    ///   - program: the path of its program.
    func add(
        _ pid: Int32, parent: Int32 = 1, session: Int32? = nil, startTime: UInt64 = 100,
        uids: String = "1000\t1000\t1000\t1000", cgroup: String = "/", info: String? = nil,
        program: String? = nil
    ) throws {
        let folder = "proc/\(pid)"
        try directory.write("Name:\teditor\nUid:\t\(uids)\nGid:\t5\t5\t5\t5\n", to: "\(folder)/status")
        try directory.write(
            "\(pid) (a ) (b) S \(parent) 1 \(session ?? pid) 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 \(startTime) 0\n",
            to: "\(folder)/stat")
        try directory.write("1:name=systemd:/\n0::\(cgroup)\n", to: "\(folder)/cgroup")
        try FileManager.default.createDirectory(
            atPath: directory.path(of: "\(folder)/root"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path(of: "\(folder)/exe"), withDestinationPath: program ?? self.program)
        if let info { try directory.write(info, to: "\(folder)/root/.flatpak-info") }
        try enter(pid, cgroup)
    }

    private func enter(_ pid: Int32, _ cgroup: String) throws {
        let list = "cgroup\(cgroup)/cgroup.procs"
        let members = (try? String(contentsOfFile: directory.path(of: list), encoding: .utf8)) ?? ""
        try directory.write("\(members)\(pid)\n", to: list)
    }

    /// The path of a process's file.
    func path(of file: String, _ pid: Int32) -> String {
        directory.path(of: "proc/\(pid)/\(file)")
    }

    func reader() throws -> ProcessReader {
        ProcessReader(
            proc: try .at(directory.path(of: "proc")), controlGroups: try .at(directory.path(of: "cgroup")),
            servedDevice: Self.servedDevice)
    }

    func identity(of pid: Int32) throws -> Identity {
        try reader().identity(of: pid, uid: Self.uid)
    }

    /// The finding without obstacles, sandbox or unit.
    var executable: Identity { Identity(uid: Self.uid, kind: .executable, id: program) }

    static func identity(_ kind: Identity.Kind, _ id: String) -> Identity {
        Identity(uid: uid, kind: kind, id: id)
    }
}
