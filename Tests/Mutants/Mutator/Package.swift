// swift-tools-version: 6.2
import PackageDescription

/// Not part of the project's package, so that only `packaging/mutants` builds swift-syntax.
let package = Package(
    name: "mutator",
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")],
    targets: [
        .executableTarget(
            name: "mutator",
            dependencies: [
                .product(name: "SwiftOperators", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
