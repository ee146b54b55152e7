import CLinux
import DictationClient
import EventLoop
import Foundation
import Glibc
import Localization
import SoundFiles

/// A sound file that is read from its beginning.
struct ExampleSound {
    let descriptor: Descriptor
    /// Decodes it.
    private let stream: SoundFileStream?

    init(_ path: String) throws {
        let file = try InputFile(path: path).descriptor
        stream = try SoundFileStream(of: file) { _ in }
        descriptor = stream?.stream ?? file
    }
}

extension WordLesson.Example {
    /// Where a word is said in a text of the history.
    /// - Parameter word: as it is to be written.
    init(of word: String, in text: HistoryText) throws {
        guard let sound = text.sound else {
            throw WordLessonError(
                translated(
                    "The sound of text \(text.id) was not kept: “dictation-cli history keep 7 days --sound” keeps it from now on."
                ))
        }
        let words = WordLesson.words(text.text)
        let wanted = Array(WordLesson.words(word).joined())
        var best: (range: Range<Int>, distance: Double)?
        for start in words.indices {
            for end in (start + 1)...min(start + Self.longestSpan, words.count) {
                let distance = EditDistance.relative(Array(words[start..<end].joined()), wanted)
                if distance < best?.distance ?? Self.farthest { best = (start..<end, distance) }
            }
        }
        guard let range = best?.range else {
            throw WordLessonError(
                translated(
                    "Nothing in text \(text.id) is spelled nearly like “\(word)”: give the word an example with --speak."
                ))
        }
        self.init(
            path: sound, before: Array(words[..<range.lowerBound]), after: Array(words[range.upperBound...]),
            heard: [words[range].joined(separator: " ")])
    }

    /// Words of the text that stand for the word.
    private static let longestSpan = 3
    /// Of the spelling, per letter.
    private static let farthest = 0.75
}

/// The word as the user says it into the microphone, in memory: if this program is interrupted, nothing is left, and the
/// service closes the microphone.
final class SpokenExample {
    /// How long the program listens.
    private static let limit = Duration.seconds(30)

    private let file: Descriptor

    /// Each reader opens it anew, at its beginning.
    var path: String { "/proc/self/fd/\(file.rawValue)" }

    /// Records until the user has said something.
    init(_ client: DictationClient, within limit: Duration = SpokenExample.limit) async throws {
        let number = dictation_linux_memory_file("dictation word")
        guard number >= 0 else { throw EventLoopError(call: "memfd_create", code: errno) }
        file = Descriptor(owning: number)
        // Scripts ignore it in programs in the background, and the window with the settings sends it.
        signal(SIGINT, SIG_DFL)
        var options = StartOptions()
        options.autoCommit = .seconds(1)
        options.sendsPartials = false
        options.keepsTexts = false
        options.isFiltered = false
        options.record = file
        let session = try await client.start(options)
        let end = Task {
            try await Task.sleep(for: limit)
            try await session.stop()
        }
        defer { end.cancel() }
        var isOver = false
        for try await event in session.events {
            switch event {
            case .final where !isOver:
                isOver = true
                end.cancel()
                try await session.stop()
            case .interrupted, .problemsChanged, .failed:
                if let notice = event.notice { Output.standardError.writeNotice(notice) }
            default: break
            }
        }
        guard isOver else {
            throw WordLessonError(translated("Nothing was said. Try again, and say the word alone."))
        }
    }
}
