import ArgumentParser

/// An engine that this program can set up.
enum EngineKind: String, ExpressibleByArgument, CaseIterable {
    case whisper

    /// The package on PyPI, with the version that was tried.
    var package: String { "wyoming-faster-whisper>=3.8,<4" }
    /// Its program.
    var program: String { "wyoming-faster-whisper" }
}
