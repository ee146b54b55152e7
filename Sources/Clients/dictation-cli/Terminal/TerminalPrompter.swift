import DictationClient
import DictationCore
import EventLoop
import Glibc
import Localization
import Prompts

/// Asks the service's questions at the terminal: a line on standard error, an answer on standard input. One question at
/// a time.
actor TerminalPrompter {
    /// Standard input has ended.
    struct EndOfInput: Error, CustomStringConvertible {
        var description: String { "its input has ended" }
    }

    private let loop: EventLoop
    private var isAsking = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Input that is not a complete line or was not asked for yet.
    private var input: [UInt8] = []
    private var isAtEnd = false

    init() throws {
        loop = try EventLoop(name: "questions")
    }

    /// Nil if the question was withdrawn.
    func ask(_ question: PermissionQuestion) async throws(EndOfInput) -> PermissionAnswer? {
        while isAsking { await withCheckedContinuation { waiting.append($0) } }
        isAsking = true
        defer {
            isAsking = false
            if !waiting.isEmpty { waiting.removeFirst().resume() }
        }
        let output = Output.standardError
        if !Task.isCancelled {
            // Input from before this question is not an answer to it.
            if isatty(STDIN_FILENO) == 1 {
                tcflush(STDIN_FILENO, TCIFLUSH)
                input = []
            }
            output.writeNotice(question.text)
        }
        while !Task.isCancelled {
            output.writeNotice(translated("[y]es, [n]o, or [o]nce?"))
            guard let line = await line() else { break }
            if let answer = PermissionAnswer(line: line) { return answer }
        }
        guard Task.isCancelled else { throw EndOfInput() }
        output.writeNotice(translated("The question is withdrawn."))
        return nil
    }

    /// Nil at the end of input, or if the task is cancelled.
    private func line() async -> String? {
        while true {
            if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
                defer { input.removeSubrange(...end) }
                return String(decoding: input[..<end], as: UTF8.self)
            }
            guard !isAtEnd, let bytes = await bytes() else { return nil }
            isAtEnd = bytes.isEmpty
            input += bytes
        }
    }

    /// The next input; empty at the end, nil if the task is cancelled.
    private func bytes() async -> [UInt8]? {
        let (chunks, feed) = AsyncStream<[UInt8]>.makeStream()
        let isRead = Lock(false)
        let watch = try? loop.watch(STDIN_FILENO, for: .readable) { _ in
            // Later input is read on the next call.
            if isRead.withLock({ $0 }) { return }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR || errno == EAGAIN { return }
            isRead.withLock { $0 = true }
            feed.yield(Array(bytes.prefix(max(0, count))))
        }
        // Input that cannot be polled, such as a file, cannot be used for answers.
        guard let watch else { return [] }
        defer { watch.cancel() }
        for await chunk in chunks { return chunk }
        return nil
    }
}

extension PermissionQuestion {
    /// In the user's language, unless it is about something that this program does not know.
    fileprivate var text: String {
        let resources = resources.compactMap { DictationCore.Resource(rawValue: $0.rawValue) }
        guard let kind = Identity.Kind(rawValue: application.kind.rawValue),
            resources.count == self.resources.count
        else { return "\(title) \(subtitle) \(body)" }
        let prompt = Prompt(
            client: Identity(uid: getuid(), kind: kind, id: application.id), resources: resources)
        return ([prompt.title, prompt.subtitle] + prompt.body).map(\.description).joined(separator: " ")
    }
}

extension PermissionAnswer {
    /// Nil if the line is not an answer.
    init?(line: String) {
        switch line.lowercased().filter({ !$0.isWhitespace }) {
        case "y", "yes": self = .allow
        case "n", "no": self = .deny
        case "o", "once": self = .allowOnce
        default: return nil
        }
    }
}
