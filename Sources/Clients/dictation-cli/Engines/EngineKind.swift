import ArgumentParser

/// An engine that this program can set up.
enum EngineKind: String, ExpressibleByArgument, CaseIterable {
    case whisper

    /// The packages on PyPI, with the versions that were tried. faster-whisper 1.2 fails with av 19, which pip chooses for
    /// Python 3.12 and newer.
    var packages: [String] { ["wyoming-faster-whisper>=3.8,<4", "av<19"] }
    /// Its program.
    var program: String { "wyoming-faster-whisper" }
}
