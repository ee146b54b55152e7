import DictationCore
import DictationTestKit
import Foundation
import PermissionStore

/// A folder with a store.
struct StoreFixture {
    let directory: TemporaryDirectory
    var folder: String { directory.path(of: "store") }
    var file: String { "\(folder)/permissions.db" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    func open() throws -> PermissionStore {
        try PermissionStore(folder: folder)
    }

    /// Stores permissions, some granted and some denied: the probe's initial state.
    func fill() async throws {
        let store = try open()
        try await store.set(.granted, for: [.microphone, .speech], of: .app(0), by: "test", at: 1)
        try await store.set(.denied, for: [.microphone, .speech], of: .app(1), by: "test", at: 2)
        try await store.set(.granted, for: [.speech], of: .sandboxed, by: "test", at: 3)
        try await store.recordUse(of: .app(0), at: 4)
        try store.close()
    }

    /// The records that ``fill()`` has stored.
    static let filled: [Identity: Permission] = [
        .app(0): .granted,
        .app(1): Permission(microphone: .denied, speech: .denied),
        .sandboxed: Permission(microphone: .notDetermined, speech: .granted),
    ]

    /// The file names in the folder.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return attributes[.posixPermissions] as? Int ?? -1
    }

    static var probe: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("store-probe").path
    }

    /// For a probe under strace, where the address sanitizer's leak checker does not work.
    static let traced = ["ASAN_OPTIONS": "detect_leaks=0"]

    /// The number of repetitions.
    static func amount(_ variable: String, default amount: Int) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? amount
    }
}

extension Identity {
    static let sandboxed = Identity(uid: 1000, kind: .flatpak, id: "org.example.Editor")

    /// In the format of the probe.
    static func app(_ number: Int64) -> Identity {
        Identity(uid: 1000, kind: .executable, id: "/app/\(number)")
    }
}
