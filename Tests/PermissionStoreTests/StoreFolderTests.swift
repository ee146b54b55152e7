import DictationCore
import DictationTestKit
import Foundation
import Glibc
import PermissionStore
import Testing

@Suite("Nobody else has a hand in the store's files")
struct StoreFolderTests {
    let fixture: StoreFixture
    let files = FileManager.default

    init() throws {
        fixture = try StoreFixture()
    }

    private func expectRefusal(_ subject: String) {
        let error = #expect(throws: PermissionStoreError.self) { try fixture.open() }
        #expect(error?.kind == .refused)
        #expect(error?.subject == subject)
    }

    @Test("The folder and its files are closed to others, also while a change is under way")
    func modes() async throws {
        let store = try fixture.open()
        try await store.set(.granted, for: [.speech], of: .app(0), by: "test", at: 1)
        #expect(try fixture.mode(of: fixture.folder) == 0o700)
        #expect(try fixture.names() == ["permissions.db", "permissions.db-journal"])
        for name in try fixture.names() {
            #expect(try fixture.mode(of: "\(fixture.folder)/\(name)") == 0o600)
        }
    }

    @Test("What was left open to others is closed")
    func looseModes() async throws {
        try await fixture.fill()
        try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: fixture.folder)
        try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: fixture.file)
        let store = try fixture.open()
        #expect(try fixture.mode(of: fixture.folder) == 0o700)
        #expect(try fixture.mode(of: fixture.file) == 0o600)
        #expect(store.permission(of: .app(0)) == .granted)
    }

    enum Intruder: CaseIterable {
        case symbolicLink, danglingLink, hardLink, folder, pipe, foreign
    }

    @Test(
        "Anything but this user's own file is refused, and left alone",
        arguments: Intruder.allCases, ["permissions.db", "permissions.db-journal", "permissions.db-wal"])
    func intruders(intruder: Intruder, name: String) async throws {
        try await fixture.fill()
        let path = "\(fixture.folder)/\(name)"
        let elsewhere = try fixture.directory.write("precious", to: "elsewhere")
        try? files.removeItem(atPath: path)
        switch intruder {
        case .symbolicLink: try files.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
        case .danglingLink:
            try files.createSymbolicLink(atPath: path, withDestinationPath: fixture.directory.path(of: "new"))
        case .hardLink: try files.linkItem(atPath: elsewhere, toPath: path)
        case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .pipe: #expect(mkfifo(path, 0o600) == 0)
        case .foreign:
            try #require(getuid() == 0, "needs root: to make another user's file")
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(chown(path, 65534, 65534) == 0)
        }
        let before = try fixture.names()
        expectRefusal(path)
        #expect(try fixture.names() == before)
        #expect(try String(contentsOfFile: elsewhere, encoding: .utf8) == "precious")
        #expect(!files.fileExists(atPath: fixture.directory.path(of: "new")))
    }

    @Test("A folder that is none, or another's, is refused")
    func folders() throws {
        try files.createSymbolicLink(atPath: fixture.folder, withDestinationPath: fixture.directory.path)
        expectRefusal(fixture.folder)
        try files.removeItem(atPath: fixture.folder)
        try fixture.directory.write("", to: "store")
        expectRefusal(fixture.folder)
        try files.removeItem(atPath: fixture.folder)
        try files.createDirectory(atPath: fixture.folder, withIntermediateDirectories: false)
        try #require(getuid() == 0, "needs root: to make another user's folder")
        #expect(chown(fixture.folder, 65534, 65534) == 0)
        expectRefusal(fixture.folder)
    }

    @Test("A folder that cannot be made is said to be so")
    func unavailable() throws {
        let path = try fixture.directory.write("", to: "file") + "/store"
        let error = #expect(throws: PermissionStoreError.self) { try PermissionStore(folder: path) }
        #expect(error?.kind == .unavailable)
        #expect(error?.reason == "Not a directory")
    }

    @Test("Two processes do not share a store, and the second gets it when the first has ended")
    func twoProcesses() async throws {
        let first = try ChildProcess([StoreFixture.probe, fixture.folder, "acknowledge", "0"])
        _ = try await first.line(of: .output)
        let second = try await ChildProcess.run([StoreFixture.probe, fixture.folder, "revoke"])
        #expect(second.output.hasPrefix("not opened inUse "))
        first.kill()
        _ = try await first.exitStatus()
        let third = try await ChildProcess.run([StoreFixture.probe, fixture.folder, "revoke"])
        #expect(third.output == "opened \nstored denied\nstored denied\n")
    }
}
