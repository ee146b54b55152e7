// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "example",
    dependencies: [
        .package(name: "dictation", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Example", dependencies: [.product(name: "DictationClient", package: "dictation")])
    ]
)
