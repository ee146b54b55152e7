// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The architecture as a table: which folder a target lies in, and what it may import. `Tests/PackageTests` holds it to
/// the rules of `Sources/README.md`.
let package = Package(
    name: "dictation",
    products: [
        .library(name: "DictationClient", targets: ["DictationClient"]),
        .executable(name: "dictationd", targets: ["dictationd"]),
        .executable(name: "dictation-worker", targets: ["dictation-worker"]),
        .executable(name: "dictation-cli", targets: ["dictation-cli"]),
        // What the package in Tests/Benchmarks measures, or measures with.
        .library(
            name: "Measured",
            targets: [
                "CPocketSphinx", "DBus", "DictationCore", "DictationInterface", "DictationRig",
                "DictationTestKit", "EventLoop", "LanguageFiles", "Microphone", "Recognition",
            ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: cShims + foundations + core + adapters + service + clients + generators + testSupport + tests,
    swiftLanguageModes: [.v6]
)

/// Whether pkg-config knows a library.
func isInstalled(_ library: String) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["pkg-config", "--exists", library]
    do {
        try process.run()
    } catch {
        return false
    }
    process.waitUntilExit()
    return process.terminationStatus == 0
}

// MARK: - Sources

/// C: module maps and thin shims.
var cShims: [Target] {
    [
        .c("CLinux"),
        .systemLibrary(
            name: "CDBus", path: "Sources/C/CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(
            name: "CPipeWireSystem", path: "Sources/C/CPipeWireSystem", pkgConfig: "libpipewire-0.3",
            providers: [.apt(["libpipewire-0.3-dev"])]),
        .c("CPipeWire", ["CPipeWireSystem"], settings: [.enableWarning("function-effects")]),
        .systemLibrary(
            name: "CWaylandClient", path: "Sources/C/CWaylandClient", pkgConfig: "wayland-client",
            providers: [.apt(["libwayland-dev"])]),
        .c("CWaylandInput", ["CWaylandClient"]),
        .systemLibrary(
            name: "CSndFile", path: "Sources/C/CSndFile", pkgConfig: "sndfile",
            providers: [.apt(["libsndfile1-dev"])]),
        // PocketSphinx 5 contains SphinxBase. Not all that pkg-config says: before 5 that is also libsphinxad, which drags in
        // PulseAudio and X11.
        .c("CPocketSphinx", linking: ["pocketsphinx"] + (isInstalled("sphinxbase") ? ["sphinxbase"] : [])),
    ]
}

/// Foundations know nothing of dictation.
var foundations: [Target] {
    [
        .swift("EventLoop", in: .foundations, ["CLinux"]),
        .swift("DBus", in: .foundations, ["CDBus", "CLinux", "EventLoop"]),
        // Learns from a large dictionary: a hundred times slower where it is not optimised.
        .swift(
            "Pronunciation", in: .foundations, settings: [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        .swift("Localization", in: .foundations, ["CLinux"]),
        .swift("ServiceLog", in: .foundations, [.logging]),
    ]
}

/// The pure core, and the names of the interface.
var core: [Target] {
    [
        .swift("DictationCore", in: .core),
        .swift("DictationInterface", in: .core, ["DBus", "EventLoop"]),
        .swift("Typing", in: .core),
        .swift("TypingRoutes", in: .core, ["EventLoop", "Typing"]),
        .swift("Prompts", in: .core, ["DictationCore", "Localization"]),
        .swift("DictationTyping", in: .core, ["EventLoop", "Typing", "TypingRoutes"]),
    ]
}

/// Each adapter wraps one outside thing.
var adapters: [Target] {
    [
        .swift("ClientIdentity", in: .adapters, ["CLinux", "DictationCore", "EventLoop"]),
        .swift("Clipboard", in: .adapters, ["CLinux", "EventLoop", "Typing", "TypingRoutes"]),
        .swift(
            "Desktop", in: .adapters,
            [
                "CLinux", "DBus", "DictationCore", "EventLoop", "Localization", "Prompts", "Typing",
                "TypingRoutes",
            ]),
        .swift("HistoryFiles", in: .adapters, ["DictationCore", "EventLoop"]),
        .swift("IBus", in: .adapters, ["DBus", "EventLoop", "Typing", "TypingRoutes"]),
        .swift("JournalFiles", in: .adapters, ["CLinux", "DictationCore", "EventLoop"]),
        .swift("KeyboardLayouts", in: .adapters, ["DBus", "DictationCore", "EventLoop"]),
        .swift("LanguageFiles", in: .adapters, ["DictationCore", "EventLoop", .yams]),
        .swift("Microphone", in: .adapters, ["CLinux", "CPipeWire", "DictationCore", "EventLoop"]),
        .swift("PermissionStore", in: .adapters, ["DictationCore", "EventLoop", .grdb, .sqlite]),
        .swift("RecordingFiles", in: .adapters, ["CLinux", "DictationCore", "EventLoop"]),
        .swift(
            "Recognition", in: .adapters,
            ["CLinux", "CPocketSphinx", "DictationCore", "EventLoop", "Pronunciation"]),
        .swift(
            "ShellFields", in: .adapters,
            ["DBus", "DictationInterface", "EventLoop", "Typing", "TypingRoutes"]),
        .swift("SoundFiles", in: .adapters, ["CSndFile", "EventLoop"]),
        .swift(
            "WaylandInput", in: .adapters,
            ["CLinux", "CWaylandInput", "EventLoop", "Typing", "TypingRoutes"]),
        .swift("Wyoming", in: .adapters, ["DictationCore", "EventLoop", .nioCore, .nioPosix, .yams]),
    ]
}

/// The service composes the adapters.
var service: [Target] {
    [
        .swift(
            "DictationConfiguration", in: .service,
            [
                "DBus", "Desktop", "DictationCore", "DictationInterface", "EventLoop", "LanguageFiles",
                "Wyoming",
                .logging, .yams,
            ]),
        .swift(
            "DictationBus", in: .service,
            ["DBus", "DictationCore", "DictationInterface", "EventLoop", .logging]),
        .swift(
            "DictationBroker", in: .service,
            [
                "ClientIdentity", "DBus", "Desktop", "DictationBus", "DictationConfiguration",
                "DictationCore", "DictationInterface", "EventLoop", "Localization", "PermissionStore",
                "Prompts",
                .logging, .serviceLifecycle,
            ]),
        .swift(
            "DictationWorker", in: .service,
            [
                "ClientIdentity", "Clipboard", "DBus", "Desktop", "DictationBus", "DictationConfiguration",
                "DictationCore", "DictationInterface", "DictationTyping", "EventLoop", "HistoryFiles", "IBus",
                "JournalFiles", "KeyboardLayouts", "LanguageFiles", "Localization", "Microphone", "Prompts",
                "Recognition",
                "RecordingFiles", "ShellFields", "Typing", "TypingRoutes", "WaylandInput", "Wyoming",
                .logging, .serviceLifecycle,
            ]),
        .program(
            "dictationd", in: .service,
            [
                "DBus", "DictationBroker", "DictationConfiguration", "ServiceLog", .argumentParser, .logging,
                .serviceLifecycle, .unixSignals,
            ]),
        .program(
            "dictation-worker", in: .service,
            [
                "DBus", "DictationConfiguration", "DictationCore", "DictationWorker", "EventLoop",
                "Localization", "ServiceLog", .argumentParser, .logging, .serviceLifecycle, .unixSignals,
            ]),
    ]
}

var clients: [Target] {
    [
        .swift("DictationClient", in: .clients, ["DBus", "DictationInterface", "EventLoop"]),
        .program(
            "dictation-cli", in: .clients,
            [
                "CLinux", "Clipboard", "DBus", "DictationClient", "DictationCore", "DictationInterface",
                "EventLoop", "IBus", "KeyboardLayouts", "LanguageFiles", "Localization", "Prompts",
                "ShellFields", "SoundFiles", "TypingRoutes", "WaylandInput", .argumentParser,
            ]),
    ]
}

/// `packaging/generate` runs them.
var generators: [Target] {
    [
        .swift("ManualPage", in: .generators),
        .program("interface-generator", in: .generators, ["ManualPage"]),
        .program(
            "configuration-generator", in: .generators,
            ["DictationConfiguration", "DictationCore", "LanguageFiles", "ManualPage"]),
    ]
}

// MARK: - Tests

var testSupport: [Target] {
    [
        .c("CDriverMicrophone", in: .support, ["CPipeWireSystem"]),
        .swift(
            "DictationTestKit", in: .support,
            ["CDriverMicrophone", "CLinux", "DBus", "DictationCore", "EventLoop"]),
        .swift(
            "DictationRig", in: .support, ["DBus", "DictationInterface", "DictationTestKit", "EventLoop"]),
        .swift(
            "TypingRig", in: .support,
            [
                "DBus", "DictationRig", "DictationTestKit", "DictationTyping", "EventLoop", "Typing",
                "TypingRoutes",
            ]),
        .swift("ScriptedService", in: .support, ["DBus", "DictationInterface", "EventLoop"]),
        .swift("DictationSimulation", in: .support, ["DictationCore"]),
        .program("dictation-simulate", in: .support, ["DictationSimulation"]),
        .program(
            "identity-probe", in: .support, ["CLinux", "ClientIdentity", "DictationCore", "EventLoop"]),
        .program("store-probe", in: .support, ["DictationCore", "PermissionStore"]),
        // Most of it is in debug builds alone, because it imports modules for testing. Its fuzzer is built with optimisation
        // too.
        .swift(
            "FuzzTargets", in: .support,
            [
                "CDBus", "ClientIdentity", "DBus", "Desktop", "DictationConfiguration", "DictationCore",
                "DictationBus", "DictationInterface", "DictationSimulation", "DictationWorker", "EventLoop",
                "IBus",
                "LanguageFiles", "Recognition", "Wyoming", .nioCore,
            ]),
        .program("dictation-fuzz", in: .support, ["FuzzTargets"]),
    ]
}

var tests: [Target] {
    [
        .tests(
            "ClientIdentityTests",
            ["CLinux", "ClientIdentity", "DictationCore", "DictationTestKit", "EventLoop", "identity-probe"],
            excluding: ["served-folder.py"]),
        .tests(
            "ClipboardTests", ["Clipboard", "DictationTestKit", "EventLoop", "Typing", "TypingRoutes"]),
        .tests(
            "DBusTests", ["CDBus", "CLinux", "DBus", "DictationTestKit", "EventLoop"],
            excluding: ["foreign-descriptors.py", "unclosable-files.py"]),
        .tests(
            "DesktopShellTests",
            [
                "DBus", "DictationRig", "DictationTestKit", "EventLoop", "dictation-cli", "dictation-worker",
                "dictationd",
            ], excluding: ["Resources"]),
        .tests(
            "DesktopTests",
            [
                "CLinux", "DBus", "Desktop", "DictationCore", "DictationTestKit", "EventLoop", "Prompts",
                "Typing",
                "TypingRoutes",
            ]),
        .tests(
            "DictationCLITests",
            [
                "DBus", "DictationClient", "DictationCore", "DictationInterface", "DictationTestKit",
                "EventLoop", "LanguageFiles", "ScriptedService", "dictation-cli",
            ]),
        .tests(
            "DictationClientTests",
            [
                "DBus", "DictationClient", "DictationInterface", "DictationTestKit", "EventLoop",
                "ScriptedService",
            ]),
        .tests(
            "DictationConfigurationTests",
            [
                "DBus", "DictationConfiguration", "DictationCore", "DictationTestKit", "EventLoop", .logging,
                "Wyoming", "configuration-generator",
            ]),
        .tests("DictationCoreTests", ["DictationCore", "DictationSimulation"]),
        .tests("DictationInterfaceTests", ["DBus", "DictationInterface", "interface-generator"]),
        .tests(
            "DictationBrokerTests",
            [
                "ClientIdentity", "DBus", "Desktop", "DictationBroker", "DictationBus", "DictationCore",
                "DictationInterface", "DictationTestKit", "EventLoop", .logging,
            ]),
        .tests("DictationBusTests", ["DBus", "DictationBus", "DictationCore", "EventLoop"]),
        .tests(
            "DictationWorkerTests",
            [
                "DBus", "Desktop", "DictationBus", "DictationConfiguration", "DictationCore",
                "DictationInterface", "DictationTestKit", "DictationWorker", "EventLoop", "HistoryFiles",
                "JournalFiles", "LanguageFiles", "Prompts", "Recognition", "Wyoming", .logging,
            ]),
        .tests("DictationTypingTests", ["DictationTyping", "EventLoop", "Typing", "TypingRoutes"]),
        .tests("EventLoopTests", ["CLinux", "DictationTestKit", "EventLoop"]),
        .tests("FuzzTests", ["DictationTestKit", "FuzzTargets"], excluding: ["Corpus"]),
        .tests(
            "IBusTests",
            [
                "Clipboard", "DBus", "DictationRig", "DictationTestKit", "EventLoop", "IBus", "Typing",
                "TypingRig", "TypingRoutes", "dictation-cli", "dictation-worker", "dictationd",
            ], excluding: ["Resources"]),
        .tests(
            "IntegrationTests",
            [
                "DBus", "Desktop", "DictationClient", "DictationCore", "DictationInterface", "DictationRig",
                "DictationTestKit", "EventLoop", "Microphone", "Recognition", "dictation-cli",
                "dictation-worker", "dictationd",
            ], excluding: ["mutated-messages.py"]),
        .tests("HistoryFilesTests", ["DictationCore", "DictationTestKit", "HistoryFiles"]),
        .tests("LocalizationTests", ["CLinux", "Localization"]),
        .tests("PromptsTests", ["DictationCore", "Localization", "Prompts"]),
        .tests("KeyboardLayoutsTests", ["DictationTestKit", "EventLoop", "KeyboardLayouts"]),
        .tests("JournalFilesTests", ["DictationCore", "DictationTestKit", "JournalFiles"]),
        .tests(
            "LanguageFilesTests",
            ["DictationCore", "DictationSimulation", "DictationTestKit", "LanguageFiles"],
            excluding: [
                "daily-written-form-cases.tsv", "general-written-form-cases.tsv",
                "more-written-form-cases.tsv", "written-form-cases.tsv",
            ]),
        .tests(
            "MicrophoneTests",
            ["CLinux", "CPipeWire", "DictationCore", "DictationTestKit", "EventLoop", "Microphone"]),
        .tests(
            "PackageTests",
            [
                "DictationRig", "DictationTestKit", "ManualPage", "dictation-cli", "dictation-worker",
                "dictationd",
            ]),
        .tests(
            "PermissionStoreTests",
            ["DictationCore", "DictationTestKit", "PermissionStore", "store-probe", .grdb]),
        .tests("PronunciationTests", ["Pronunciation"]),
        .tests("RecordingFilesTests", ["DictationCore", "DictationTestKit", "EventLoop", "RecordingFiles"]),
        .tests("RecognitionTests", ["DictationCore", "DictationTestKit", "EventLoop", "Recognition"]),
        .tests("ServiceLogTests", ["DictationTestKit", "ServiceLog", .logging]),
        .tests(
            "ShellFieldsTests",
            [
                "DBus", "DictationInterface", "DictationTestKit", "EventLoop", "ShellFields", "Typing",
                "TypingRoutes",
            ]),
        .tests("SoundFilesTests", ["CSndFile", "DictationTestKit", "EventLoop", "SoundFiles"]),
        .tests("TypingTests", ["Typing"], excluding: ["typing-cases.json"]),
        .tests(
            "WaylandInputTests",
            [
                "DBus", "DictationInterface", "DictationRig", "DictationTestKit", "EventLoop",
                "ScriptedService",
                "Typing", "TypingRig", "TypingRoutes", "WaylandInput", "dictation-cli", "dictation-worker",
                "dictationd",
            ], excluding: ["Resources"]),
        .tests("WyomingTests", ["DictationCore", "DictationTestKit", "EventLoop", "Wyoming", .nioCore]),
    ]
}

// MARK: - Libraries

extension Target.Dependency {
    static var argumentParser: Self { .product(name: "ArgumentParser", package: "swift-argument-parser") }
    static var grdb: Self { .product(name: "GRDB", package: "GRDB.swift") }
    static var logging: Self { .product(name: "Logging", package: "swift-log") }
    static var nioCore: Self { .product(name: "NIOCore", package: "swift-nio") }
    static var nioPosix: Self { .product(name: "NIOPosix", package: "swift-nio") }
    static var serviceLifecycle: Self {
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    }
    static var sqlite: Self { .product(name: "GRDBSQLite", package: "GRDB.swift") }
    static var unixSignals: Self { .product(name: "UnixSignals", package: "swift-service-lifecycle") }
    static var yams: Self { .product(name: "Yams", package: "Yams") }
}

// MARK: - Kinds of targets

/// Where targets lie. A target's folder there has its name.
enum Folder: String {
    case c = "Sources/C"
    case foundations = "Sources/Foundations"
    case core = "Sources/Core"
    case adapters = "Sources/Adapters"
    case service = "Sources/Service"
    case clients = "Sources/Clients"
    case generators = "Sources/Generators"
    case support = "Tests/Support"

    func path(of target: String) -> String { "\(rawValue)/\(target)" }
}

extension [SwiftSetting] {
    static var strict: Self {
        [
            .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
    }
}

extension Target {
    static func swift(
        _ name: String, in folder: Folder, _ dependencies: [Dependency] = [], settings: [SwiftSetting] = []
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, path: folder.path(of: name),
            swiftSettings: .strict + settings)
    }

    static func program(_ name: String, in folder: Folder, _ dependencies: [Dependency] = []) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: folder.path(of: name), swiftSettings: .strict)
    }

    static func tests(_ name: String, _ dependencies: [Dependency], excluding files: [String] = []) -> Target
    {
        .testTarget(name: name, dependencies: dependencies, exclude: files, swiftSettings: .strict)
    }

    static func c(
        _ name: String, in folder: Folder = .c, _ dependencies: [Dependency] = [], settings: [CSetting] = [],
        linking libraries: [String] = []
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, path: folder.path(of: name),
            cSettings: settings + [.treatAllWarnings(as: .error)],
            linkerSettings: libraries.map { .linkedLibrary($0) })
    }
}
