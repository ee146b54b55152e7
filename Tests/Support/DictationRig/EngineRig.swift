public import DictationTestKit
import Foundation

/// A Whisper engine from packaging/whisper in a process of its own.
public final class WhisperServer: Sendable {
    public let process: ChildProcess
    public let folder: TemporaryDirectory
    public var socket: String { folder.path(of: "engine.sock") }

    /// Starts it. It listens after some seconds: see ``listens()``.
    public init() throws {
        folder = try TemporaryDirectory()
        let script = repository.appending(path: "packaging/whisper").path
        process = try ChildProcess([script, "run", folder.path(of: "engine.sock")])
    }

    /// Returns when it listens. It has loaded its model by then.
    public func listens() async throws {
        try await eventually("the engine listens", within: .seconds(120)) {
            FileManager.default.fileExists(atPath: socket)
        }
    }
}

/// Text as its words are counted: in lower case, without punctuation, and no title abbreviated.
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
