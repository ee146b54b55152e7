import ArgumentParser

/// An engine that this program can set up.
enum EngineKind: String, ExpressibleByArgument, CaseIterable {
    /// The project's own engine, `dictation-engine`, with a Whisper model.
    case whisper
}
