import DictationRig
import DictationTestKit
import Foundation
import Testing

/// The import graph of Sources/README.md.
@Suite struct ImportGraphTests {
    static let c: Set<String> = [
        "CLinux", "CDBus", "CPipeWire", "CPipeWireSystem", "CPocketSphinx", "CWaylandClient",
        "CWaylandInput", "CSndFile",
    ]
    static let foundations: Set<String> = ["EventLoop", "DBus"]
    static let adapters: Set<String> = [
        "ClientIdentity", "Clipboard", "Desktop", "HistoryFiles", "IBus", "JournalFiles",
        "KeyboardLayouts", "LanguageFiles", "Microphone", "PermissionStore", "Recognition", "RecordingFiles",
        "ShellFields", "SoundFiles",
        "WaylandInput", "Wyoming",
    ]
    static let borders = c.union(foundations).union([
        "DictationCore", "Localization", "Prompts", "Typing", "TypingRoutes",
    ])

    /// The allowed direct dependencies of each target.
    static let allowed: [String: Set<String>] = {
        var allowed: [String: Set<String>] = [
            "CPipeWire": ["CPipeWireSystem"],
            "CWaylandInput": ["CWaylandClient"],
            "EventLoop": c,
            "DBus": c.union(["EventLoop"]),
            "DictationCore": [],
            "Localization": ["CLinux"],
            "Prompts": ["DictationCore", "Localization"],
            "Pronunciation": [],
            "ServiceLog": ["Logging"],
            "DictationInterface": ["DBus", "EventLoop"],
            "Typing": [],
            "TypingRoutes": ["EventLoop", "Typing"],
            "DictationClient": c.union(foundations).union(["DictationInterface"]),
            "DictationConfiguration": borders.union([
                "Desktop", "DictationInterface", "LanguageFiles", "Logging", "Wyoming", "Yams",
            ]),
            "DictationBus": borders.union(["DictationInterface", "Logging"]),
            // Neither sound nor text: no PipeWire, no engines, no recordings, no journals.
            "DictationBroker": borders.union([
                "ClientIdentity", "Desktop", "DictationBus", "DictationConfiguration", "DictationInterface",
                "Logging", "PermissionStore", "ServiceLifecycle",
            ]),
            "DictationWorker": borders.union(
                adapters.subtracting(["PermissionStore", "SoundFiles"])
            ).union([
                "DictationBus", "DictationConfiguration", "DictationInterface", "DictationTyping", "Logging",
                "ServiceLifecycle",
            ]),
            "dictationd": [
                "DBus", "DictationBroker", "DictationConfiguration", "ArgumentParser", "Logging",
                "ServiceLifecycle", "ServiceLog", "UnixSignals",
            ],
            "dictation-worker": [
                "DBus", "DictationConfiguration", "DictationCore", "DictationWorker", "ArgumentParser",
                "EventLoop", "Localization", "Logging", "ServiceLifecycle", "ServiceLog", "UnixSignals",
            ],
            "dictation-cli": [
                "ArgumentParser", "CLinux", "Clipboard", "DBus", "DictationClient", "DictationCore",
                "DictationInterface", "EventLoop", "IBus", "KeyboardLayouts", "LanguageFiles", "Localization",
                "Prompts", "ShellFields", "SoundFiles", "TypingRoutes", "WaylandInput",
            ],
            "DictationTyping": ["EventLoop", "Typing", "TypingRoutes"],
            "ManualPage": [],
            "interface-generator": ["ManualPage"],
            "configuration-generator": [
                "DictationConfiguration", "DictationCore", "LanguageFiles", "ManualPage",
            ],
        ]
        for target in ["CLinux", "CDBus", "CPipeWireSystem", "CPocketSphinx", "CSndFile", "CWaylandClient"] {
            allowed[target] = []
        }
        for adapter in adapters { allowed[adapter] = borders }
        allowed["ShellFields", default: []].insert("DictationInterface")
        allowed["PermissionStore", default: []].formUnion(["GRDB", "GRDBSQLite"])
        allowed["Recognition", default: []].insert("Pronunciation")
        allowed["LanguageFiles", default: []].insert("Yams")
        allowed["Wyoming", default: []].formUnion(["NIOCore", "NIOPosix", "Yams"])
        return allowed
    }()

    @Test func everyDependencyIsAllowed() async throws {
        let package = try await PackageDescription.dumped()
        // Targets in `Tests` may import anything.
        let targets = package.targets.filter { $0.type != "test" && $0.path?.hasPrefix("Tests/") != true }
        #expect(targets.count > 10)
        for target in targets {
            let allowed = try #require(Self.allowed[target.name], "\(target.name) is not in the table")
            let surplus = Set(target.dependencyNames).subtracting(allowed)
            #expect(surplus.isEmpty, "\(target.name) must not depend on \(surplus.sorted())")
        }
    }

    @Test func targetsAreInTheFolderOfTheirKind() async throws {
        let package = try await PackageDescription.dumped()
        let kinds = [
            "C": Self.c,
            "Foundations": Self.foundations.union(["Localization", "Pronunciation", "ServiceLog"]),
            "Core": [
                "DictationCore", "DictationInterface", "DictationTyping", "Prompts", "Typing", "TypingRoutes",
            ],
            "Adapters": Self.adapters,
            "Service": [
                "DictationBroker", "DictationBus", "DictationConfiguration", "DictationWorker",
                "dictation-worker", "dictationd",
            ],
            "Clients": ["DictationClient", "dictation-cli"],
            "Generators": ["ManualPage", "configuration-generator", "interface-generator"],
        ]
        let targets = package.targets.filter { $0.type != "test" && $0.path?.hasPrefix("Tests/") != true }
        for (folder, names) in kinds {
            let inFolder = targets.filter { $0.path == "Sources/\(folder)/\($0.name)" }.map(\.name)
            #expect(Set(inFolder) == names, "\(folder)")
        }
        #expect(kinds.values.reduce(0) { $0 + $1.count } == targets.count)
    }

    /// The process that has the name on the bus and the permissions has no C code for sound.
    @Test func theBrokerLinksNoSoundAndNoEngine() async throws {
        for (program, has) in [("dictationd", false), ("dictation-worker", true)] {
            let libraries = try await ChildProcess.run(["ldd", executable(program)]).output
            #expect(libraries.contains("libdbus-1.so"))
            for library in ["libpipewire-0.3.so", "libpocketsphinx.so"] {
                #expect(libraries.contains(library) == has, "\(program): \(library)")
            }
        }
    }

    @Test(arguments: [("DictationCore", 30), ("Typing", 5)])
    func theCoreImportsNothing(target: String, count: Int) throws {
        let folder = repository.appending(path: "Sources/Core/\(target)")
        let enumerator = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        let files = enumerator.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(files.count > count)
        for file in files {
            let imports = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .filter { $0.contains("import ") && !$0.hasPrefix("//") && !$0.contains("///") }
            #expect(imports.isEmpty, "\(file.lastPathComponent): \(imports)")
        }
    }
}

/// The output of `swift package dump-package`.
struct PackageDescription: Decodable {
    struct Target: Decodable {
        struct Dependency: Decodable {
            /// Name, and for products the package's, then conditions.
            var byName: [String?]?
            var product: [String?]?

            private enum CodingKeys: String, CodingKey { case byName, product }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                byName = try Self.names(container, .byName)
                product = try Self.names(container, .product)
            }

            /// The strings at the beginning of a list with other values.
            private static func names(
                _ container: KeyedDecodingContainer<CodingKeys>, _ key: CodingKeys
            ) throws -> [String?]? {
                guard container.contains(key) else { return nil }
                var list = try container.nestedUnkeyedContainer(forKey: key)
                return [try list.decodeIfPresent(String.self)]
            }
        }

        var name: String
        var type: String
        var path: String?
        var dependencies: [Dependency]

        var dependencyNames: [String] {
            dependencies.compactMap { ($0.byName ?? $0.product)?.first ?? nil }
        }
    }

    var targets: [Target]

    static func dumped() async throws -> PackageDescription {
        // With a separate scratch path, because the build that runs this test locks the default one.
        let scratch = try TemporaryDirectory()
        let dump = try await ChildProcess.run(
            [
                "swift", "package", "--package-path", repository.path, "--scratch-path", scratch.path,
                "dump-package",
            ], within: .seconds(300))
        try #require(dump.status == .exited(0), "\(dump.errors)")
        return try JSONDecoder().decode(PackageDescription.self, from: Data(dump.output.utf8))
    }
}
