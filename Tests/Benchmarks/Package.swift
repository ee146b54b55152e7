// swift-tools-version: 6.2
import PackageDescription

/// Programs that measure the daemon and others. `packaging/bench` builds and runs them.
let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "dictation", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "dictation-bench",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Measured", package: "dictation"), "reference-loop", "reference-service",
            ],
            swiftSettings: [
                .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .executableTarget(
            name: "reference-loop", dependencies: [.product(name: "Measured", package: "dictation")],
            cSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "reference-service", dependencies: [.product(name: "Measured", package: "dictation")],
            cSettings: [.treatAllWarnings(as: .error)]),
    ],
    swiftLanguageModes: [.v6]
)
