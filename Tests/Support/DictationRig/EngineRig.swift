public import DictationTestKit
import Foundation

/// A Whisper engine from packaging/whisper in its own process.
public final class WhisperServer: Sendable {
    public let process: ChildProcess
    public let folder: TemporaryDirectory
    public var socket: String { folder.path(of: "engine.sock") }

    /// Starts it. ``listens()`` waits until it is ready.
    /// - Parameter checksForSpeech: by its voice activity detector, before it recognises.
    public init(checksForSpeech: Bool = true) throws {
        folder = try TemporaryDirectory()
        let script = repository.appending(path: "packaging/whisper").path
        process = try ChildProcess(
            [script, "run", folder.path(of: "engine.sock")] + (checksForSpeech ? [] : ["all"]))
    }

    /// Returns when it listens; its model is loaded then.
    public func listens() async throws {
        try await eventually("the engine listens", within: .seconds(120)) {
            FileManager.default.fileExists(atPath: socket)
        }
    }

    /// Lets another user connect. The server stays root's, whom every user trusts.
    public func admit(_ user: TestUser) throws {
        try user.own(folder)
    }
}

/// Normalises text for counting words: lower case, no punctuation, no abbreviated titles.
public func countedWords(of text: String) -> String {
    text.lowercased().replacing("mr.", with: "mister").replacing("-", with: " ")
        .filter { $0.isLetter || $0.isNumber || $0 == "'" || $0.isWhitespace }
}

/// Configuration with an engine in another process before one of the service.
public func secondPass(
    at address: String, preview: String = "pocketsphinx", fallback: String = "preview",
    punctuates: Bool = true
) -> String {
    """
    engine: [whisper, \(preview)]
    engines:
      - name: whisper
        wyoming: "\(address)"
        fallback: \(fallback)
        punctuates: \(punctuates)

    """
}
