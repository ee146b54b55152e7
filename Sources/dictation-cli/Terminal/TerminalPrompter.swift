import DictationClient
import EventLoop
import Glibc

/// Asks the service's questions at the terminal: a line on standard error, an answer on standard input. One question
/// after the other.
actor TerminalPrompter {
    private let loop: EventLoop
    private var isAsking = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init() throws {
        loop = try EventLoop(name: "questions")
    }

    /// Nil where the question was withdrawn or nobody can type any more.
    func ask(_ question: PermissionQuestion) async -> PermissionAnswer? {
        while isAsking { await withCheckedContinuation { waiting.append($0) } }
        isAsking = true
        defer {
            isAsking = false
            if !waiting.isEmpty { waiting.removeFirst().resume() }
        }
        let output = Output.standardError
        output.note("\(question.title) \(question.subtitle) \(question.body)")
        while !Task.isCancelled {
            output.note("[y]es, [n]o, or [o]nce?")
            guard let line = await line() else { break }
            if let answer = PermissionAnswer(line: line) { return answer }
        }
        if Task.isCancelled { output.note("The question is withdrawn.") }
        return nil
    }

    /// Nil at the end of input, or where the task is cancelled.
    private func line() async -> String? {
        let (lines, feed) = AsyncStream<String?>.makeStream()
        let watch = try? loop.watch(STDIN_FILENO, for: .readable) { _ in
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            feed.yield(count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil)
        }
        defer { watch?.cancel() }
        guard watch != nil else { return nil }
        for await line in lines { return line }
        return nil
    }
}

extension PermissionAnswer {
    /// Nil where the line says nothing that is understood.
    init?(line: String) {
        switch line.lowercased().filter({ !$0.isWhitespace }) {
        case "y", "yes": self = .allow
        case "n", "no": self = .deny
        case "o", "once": self = .allowOnce
        default: return nil
        }
    }
}
