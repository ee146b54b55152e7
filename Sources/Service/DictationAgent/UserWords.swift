import DBus
import Desktop
import DictationCore
import DictationInterface
import EventLoop
import Glibc
import LanguageFiles
import Logging

/// The words of the user's own: reads them from the configuration whenever it changes, and tells the service.
@EventLoopActor
final class UserWords {
    private enum Reading { case none, running, runningAndOutdated }

    /// Nil where the user has no home.
    private let file: String?
    private let manager: DictationAgentManagerProxy
    private let path: ObjectPath
    private let logger: Logger
    private var watch: FileWatch?
    private var reading = Reading.none
    private var words: [TranscriptionRequest.VocabularyEntry] = []
    /// What the service was told last; nil where it has to be told, also that there are none.
    private var told: [TranscriptionRequest.VocabularyEntry]?
    private var isRegistered = false
    private var isTelling = false

    /// - Parameters:
    ///   - manager: of the service.
    ///   - path: of the agent.
    init(
        environment: [String: String], for manager: DictationAgentManagerProxy, path: ObjectPath,
        logger: Logger
    ) {
        file = Self.folder(environment).map { $0 + "/dictation.yaml" }
        self.manager = manager
        self.path = path
        self.logger = logger
    }

    /// By the XDG Base Directory Specification.
    private static func folder(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/dictation" }
        return environment["HOME"].map { $0 + "/.config/dictation" }
    }

    func start() {
        guard let file else { return }
        do throws(EventLoopError) {
            let watch = try FileWatch(file, for: .changed, makesFolder: true) { [weak self] in self?.read() }
            try watch.start()
            self.watch = watch
        } catch {
            logger.info("the words are not watched", metadata: ["why": "\(error)"])
        }
        read()
    }

    func stop() {
        watch.take()?.stop()
        isRegistered = false
    }

    /// To be called whenever the agent is registered anew, or no longer.
    func follow(isRegistered: Bool) {
        self.isRegistered = isRegistered
        told = nil
        tell()
    }

    /// Files are read on a thread of their own, one at a time: a file system may not answer.
    private func read() {
        guard let file else { return }
        guard reading == .none else { return reading = .runningAndOutdated }
        reading = .running
        Task {
            do {
                let text = try await OwnThread.run("words") {
                    Result { () throws(EventLoopError) in try TextFile.read(file) }
                }.get()
                words = try WordList.read(text ?? "", file: file)
            } catch {
                // The words stay as they were.
                logger.error("the words were not read", metadata: ["why": "\(error)"])
            }
            let isOutdated = reading == .runningAndOutdated
            reading = .none
            tell()
            if isOutdated { read() }
        }
    }

    /// One call is under way at a time; the latest words follow it.
    private func tell() {
        guard isRegistered, reading == .none, !isTelling, told != words else { return }
        isTelling = true
        let latest = words
        told = latest
        Task {
            do {
                try await manager.setWords(
                    path: path, words: latest.map { BusText($0.word) },
                    sounds: latest.map { BusText($0.pronunciation ?? "") })
            } catch {
                // They are told again with the next registration or change.
                logger.notice("the service does not take the words", metadata: ["why": "\(error)"])
            }
            isTelling = false
            tell()
        }
    }
}
