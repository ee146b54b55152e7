// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "dictation",
    products: [
        .library(name: "DictationClient", targets: ["DictationClient"]),
        .executable(name: "dictationd", targets: ["dictationd"]),
        .executable(name: "dictation-agent", targets: ["dictation-agent"]),
        .executable(name: "dictation-cli", targets: ["dictation-cli"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // C: module maps and thin shims.
        .target(name: "CLinux"),
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(
            name: "CPipeWireSystem", pkgConfig: "libpipewire-0.3", providers: [.apt(["libpipewire-0.3-dev"])]),
        .target(
            name: "CPipeWire", dependencies: ["CPipeWireSystem"],
            cSettings: [.enableWarning("function-effects"), .treatAllWarnings(as: .error)]),
        // Not by pkg-config: that also links libsphinxad, which drags in PulseAudio and X11.
        .target(
            name: "CPocketSphinx",
            linkerSettings: [.linkedLibrary("pocketsphinx"), .linkedLibrary("sphinxbase")]),

        // Foundations: know nothing of dictation.
        .target(name: "EventLoop", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "DBus", dependencies: ["CDBus", "CLinux", "EventLoop"], swiftSettings: strict),

        // The pure heart.
        .target(name: "DictationCore", swiftSettings: strict),

        // Numbers from a large dictionary: a hundred times slower where it is not optimised.
        .target(
            name: "Pronunciation",
            swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]),

        // Adapters: each wraps one outside thing.
        .target(
            name: "Microphone", dependencies: ["CLinux", "CPipeWire", "DictationCore", "EventLoop"],
            swiftSettings: strict),
        .target(
            name: "Recognition",
            dependencies: ["CLinux", "CPocketSphinx", "DictationCore", "EventLoop", "Pronunciation"],
            swiftSettings: strict),

        .target(
            name: "LanguageFiles",
            dependencies: ["DictationCore", "EventLoop", .product(name: "Yams", package: "Yams")],
            swiftSettings: strict),
        .target(
            name: "ClientIdentity", dependencies: ["CLinux", "DictationCore", "EventLoop"],
            swiftSettings: strict),
        .target(
            name: "PermissionStore",
            dependencies: [
                "DictationCore", "EventLoop", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "Desktop", dependencies: ["DBus", "DictationCore", "EventLoop"], swiftSettings: strict),

        .target(
            name: "ServiceLog", dependencies: [.product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(
            name: "Wyoming",
            dependencies: [
                "DictationCore",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),

        // The composition: the only target that sees all adapters.
        .target(name: "DictationInterface", dependencies: ["DBus", "EventLoop"], swiftSettings: strict),
        .target(
            name: "DictationService",
            dependencies: [
                "ClientIdentity", "DBus", "Desktop", "DictationCore", "DictationInterface", "EventLoop",
                "LanguageFiles", "Microphone", "PermissionStore", "Recognition", "Wyoming",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "dictationd",
            dependencies: [
                "DBus", "DictationService", "ServiceLog",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // The service's part in a desktop session that is not its own.
        .target(
            name: "DictationAgent",
            dependencies: [
                "ClientIdentity", "DBus", "Desktop", "DictationCore", "DictationInterface", "EventLoop",
                "Microphone",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "dictation-agent",
            dependencies: [
                "DBus", "DictationAgent", "ServiceLog",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // For clients.
        .target(
            name: "DictationClient", dependencies: ["DBus", "DictationInterface", "EventLoop"],
            swiftSettings: strict),
        .executableTarget(
            name: "dictation-cli",
            dependencies: [
                "DictationClient", "DictationCore", "EventLoop", "LanguageFiles",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // Tools.
        .target(name: "ManualPage", swiftSettings: strict),
        .executableTarget(name: "interface-generator", dependencies: ["ManualPage"], swiftSettings: strict),
        .executableTarget(
            name: "configuration-generator",
            dependencies: ["DictationCore", "DictationService", "LanguageFiles", "ManualPage"],
            swiftSettings: strict),
        // Tests.
        .target(
            name: "CDriverMicrophone", dependencies: ["CPipeWireSystem"],
            cSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "DictationTestKit",
            dependencies: ["CDriverMicrophone", "CLinux", "DBus", "DictationCore", "EventLoop"],
            swiftSettings: strict),
        .target(
            name: "ScriptedService", dependencies: ["DBus", "DictationInterface", "EventLoop"],
            path: "Tests/ScriptedService", swiftSettings: strict),
        .testTarget(
            name: "DictationInterfaceTests",
            dependencies: ["DBus", "DictationInterface", "interface-generator"],
            swiftSettings: strict),
        .testTarget(
            name: "DictationClientTests",
            dependencies: [
                "DBus", "DictationClient", "DictationInterface", "DictationTestKit", "EventLoop",
                "ScriptedService",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DictationCLITests",
            dependencies: [
                "DBus", "DictationClient", "DictationInterface", "DictationTestKit", "EventLoop",
                "ScriptedService",
                "dictation-cli",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ServiceLogTests",
            dependencies: ["ServiceLog", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .testTarget(
            name: "EventLoopTests", dependencies: ["CLinux", "DictationTestKit", "EventLoop"],
            swiftSettings: strict),
        .testTarget(
            name: "DBusTests", dependencies: ["CDBus", "CLinux", "DBus", "DictationTestKit", "EventLoop"],
            swiftSettings: strict),
        .executableTarget(
            name: "identity-probe",
            dependencies: ["CLinux", "ClientIdentity", "DictationCore", "EventLoop"],
            path: "Tests/IdentityProbe", swiftSettings: strict),
        .testTarget(
            name: "ClientIdentityTests",
            dependencies: [
                "CLinux", "ClientIdentity", "DictationCore", "DictationTestKit", "EventLoop",
                "identity-probe",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "store-probe", dependencies: ["DictationCore", "PermissionStore"],
            path: "Tests/StoreProbe", swiftSettings: strict),
        .testTarget(
            name: "PermissionStoreTests",
            dependencies: [
                "DictationCore", "DictationTestKit", "PermissionStore", "store-probe",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(name: "DictationSimulation", dependencies: ["DictationCore"], swiftSettings: strict),
        .executableTarget(
            name: "dictation-simulate", dependencies: ["DictationSimulation"], swiftSettings: strict),
        .testTarget(
            name: "DictationCoreTests", dependencies: ["DictationCore", "DictationSimulation"],
            swiftSettings: strict),
        .testTarget(
            name: "LanguageFilesTests", dependencies: ["DictationCore", "DictationTestKit", "LanguageFiles"],
            exclude: ["written-form-cases.tsv"], swiftSettings: strict),
        .testTarget(
            name: "MicrophoneTests",
            dependencies: [
                "CLinux", "CPipeWire", "DictationCore", "DictationTestKit", "EventLoop", "Microphone",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DesktopTests",
            dependencies: ["CLinux", "DBus", "Desktop", "DictationCore", "DictationTestKit", "EventLoop"],
            swiftSettings: strict),
        .testTarget(name: "PronunciationTests", dependencies: ["Pronunciation"], swiftSettings: strict),
        .testTarget(
            name: "RecognitionTests",
            dependencies: ["DictationCore", "DictationTestKit", "EventLoop", "Recognition"],
            swiftSettings: strict),
        .testTarget(
            name: "WyomingTests",
            dependencies: [
                "DictationCore", "DictationTestKit", "Wyoming",
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DictationServiceTests",
            dependencies: [
                "DictationCore", "DictationService", "DictationTestKit", "Wyoming",
                "configuration-generator",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(
            name: "DictationRig",
            dependencies: ["DBus", "DictationInterface", "DictationTestKit", "EventLoop"],
            path: "Tests/DictationRig", swiftSettings: strict),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "DBus", "DictationClient", "Desktop", "DictationCore", "DictationInterface", "DictationRig",
                "DictationTestKit",
                "EventLoop", "Microphone", "Recognition", "dictation-agent", "dictation-cli", "dictationd",
            ],
            exclude: ["mutated-messages.py"], swiftSettings: strict),
        .testTarget(
            name: "DesktopShellTests",
            dependencies: ["DBus", "DictationRig", "DictationTestKit", "EventLoop", "dictationd"],
            exclude: ["Resources"], swiftSettings: strict),
        .executableTarget(
            name: "reference-loop", dependencies: ["CPocketSphinx"], path: "Tests/ReferenceLoop",
            cSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "dictation-bench",
            dependencies: [
                "DBus", "DictationCore", "DictationInterface", "DictationRig", "DictationTestKit",
                "EventLoop", "LanguageFiles", "Microphone", "Recognition", "dictation-cli", "dictationd",
                "reference-loop",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/DictationBench", swiftSettings: strict),
        .testTarget(
            name: "PackageTests",
            dependencies: ["DictationRig", "DictationTestKit", "ManualPage", "dictation-cli", "dictationd"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
