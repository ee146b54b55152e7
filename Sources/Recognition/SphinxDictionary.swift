import CLinux
import CPocketSphinx
import Glibc

/// The part of a pronunciation dictionary that a language model can use, as a file that is nowhere but in memory.
///
/// Of the 134,723 entries of en-us the language model knows the words of 79,420. The others could never be
/// recognised, and cost a decoder 14 MB and 0.08 s.
final class SphinxDictionary {
    /// Of words that were wanted and that the language model does not know, their first one.
    private(set) var pronunciations: [String: String] = [:]
    private let descriptor: Int32

    /// - Parameters:
    ///   - path: a dictionary: lines of a word, its number in brackets where it is said in several ways, and phones.
    ///   - language: an `ngram_model_t`.
    ///   - wanted: words whose pronunciations are looked up.
    init(_ path: String, for language: OpaquePointer, wanted: Set<String>) throws(RecognitionError) {
        descriptor = dictation_linux_memory_file("dictionary")
        guard descriptor >= 0, let copy = fdopen(dup(descriptor), "w"), let source = fopen(path, "re") else {
            throw RecognitionError(
                .engineUnavailable, "\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        defer { fclose(source) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while case let length = getline(&line, &capacity, source), length > 0, let line {
            if Self.knows(language, line) {
                fwrite(line, 1, length, copy)
            } else if !wanted.isEmpty {
                let fields = String(cString: line).split(whereSeparator: \.isWhitespace)
                if let word = fields.first.map(String.init), wanted.contains(word) {
                    pronunciations[word] = fields.dropFirst().joined(separator: " ")
                }
            }
        }
        guard fclose(copy) == 0 else {
            throw RecognitionError(
                .engineUnavailable, "There is no room for a dictionary: \(String(cString: strerror(errno))).")
        }
    }

    deinit { close(descriptor) }

    /// For as long as this lives.
    var path: String { "/proc/self/fd/\(descriptor)" }

    /// Whether the language model knows the word at the beginning of this line.
    private static func knows(_ language: OpaquePointer, _ line: UnsafeMutablePointer<CChar>) -> Bool {
        var end = strcspn(line, " \t\n")
        // "read(2)" is the word "read".
        if end > 0, line[end - 1] == CChar(UInt8(ascii: ")")), case let bracket = strcspn(line, "("),
            bracket > 0
        {
            end = min(end, bracket)
        }
        let behind = line[end]
        line[end] = 0
        defer { line[end] = behind }
        let number = ngram_wid(language, line)
        return end > 0 && number >= 0 && number != ngram_unknown_wid(language)
    }
}
