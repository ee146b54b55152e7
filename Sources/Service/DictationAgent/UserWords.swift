import DBus
import DictationCore
import DictationInterface
import EventLoop
import LanguageFiles
import Logging

/// The words in the user's configuration. Sends them to the service.
@EventLoopActor
final class UserWords {
    let sender: LatestValueSender<[TranscriptionRequest.VocabularyEntry]>
    private let file: String
    private let logger: Logger

    /// - Parameters:
    ///   - file: the path of the user's configuration file.
    ///   - path: of the agent.
    init(in file: String, for manager: DictationAgentManagerProxy, path: ObjectPath, logger: Logger) {
        self.file = file
        self.logger = logger
        sender = LatestValueSender("the user's words", logger: logger) { words in
            try await manager.setWords(
                path: path, words: words.map { BusText($0.word) },
                sounds: words.map { BusText($0.pronunciation ?? "") })
        }
    }

    /// - Parameter text: of the file. After an error the words stay as they were.
    func update(_ text: Result<String, EventLoopError>) {
        do {
            sender.update(try WordList.read(text.get(), file: file))
        } catch {
            logger.error("the words in \(file) cannot be used", metadata: ["why": "\(error)"])
        }
    }
}
