import CLinux
import CPocketSphinx
import Glibc

/// The part of a pronunciation dictionary that a decoder can use, as a file in memory.
///
/// Of the 134,723 entries of en-us, the language model has the words of 79,420. The others cannot be recognised, and
/// cost a decoder 14 MB and 0.08 s.
final class SphinxDictionary {
    /// The original's pronunciations of the wanted words.
    private(set) var pronunciations: [String: [String]] = [:]
    private let descriptor: Int32

    /// - Parameters:
    ///   - path: a dictionary. Each line has a word, a number in brackets if it has several pronunciations, and phones.
    ///   - wanted: words whose pronunciations are looked up.
    ///   - isUsed: whether the decoder can use this word.
    init(
        _ path: String, wanted: Set<String>, isUsed: (UnsafePointer<CChar>) -> Bool
    ) throws(RecognitionError) {
        descriptor = dictation_linux_memory_file("dictionary")
        guard descriptor >= 0, let copy = fdopen(dup(descriptor), "w") else { throw Self.noRoom }
        let wanted = WantedWords(wanted)
        var found: [String: [String]] = [:]
        do throws(RecognitionError) {
            try Self.read(path) { line, length, wordLength in
                if let word = wanted.find(line, wordLength) {
                    found[word, default: []].append(Self.phones(line))
                }
                let behind = line[wordLength]
                line[wordLength] = 0
                let isUsed = isUsed(line)
                line[wordLength] = behind
                if isUsed { fwrite(line, 1, length, copy) }
            }
        } catch {
            fclose(copy)
            throw error
        }
        guard fclose(copy) == 0 else { throw Self.noRoom }
        pronunciations = found
    }

    deinit { close(descriptor) }

    /// Valid as long as this object.
    var path: String { "/proc/self/fd/\(descriptor)" }

    /// Adds pronunciations of a word that is used; those of the original are in already.
    func add(_ word: String, _ phones: [String]) throws(RecognitionError) {
        let known = pronunciations[word] ?? []
        try write(word, phones.filter { !known.contains($0) }, from: known.count + 1)
    }

    /// Adds a word that is not used otherwise, with its pronunciations.
    func addAll(_ word: String, _ phones: [String]) throws(RecognitionError) {
        try write(word, phones, from: 1)
    }

    private func write(_ word: String, _ phones: [String], from first: Int) throws(RecognitionError) {
        var lines = ""
        for (index, phones) in phones.enumerated() {
            let number = first + index
            lines += number == 1 ? "\(word) \(phones)\n" : "\(word)(\(number)) \(phones)\n"
        }
        let bytes = Array(lines.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw Self.noRoom }
    }

    /// Those of these words that a dictionary file has, with their pronunciations.
    static func look(up words: Set<String>, in path: String) throws(RecognitionError) -> [String: [String]] {
        let wanted = WantedWords(words)
        var found: [String: [String]] = [:]
        try read(path) { line, _, wordLength in
            if let word = wanted.find(line, wordLength) { found[word, default: []].append(phones(line)) }
        }
        return found
    }

    /// A hash of each word of a dictionary file.
    static func hashes(in path: String) throws(RecognitionError) -> [UInt64] {
        var hashes: [UInt64] = []
        try read(path) { line, _, wordLength in
            hashes.append(FowlerHash.of(UnsafeBufferPointer(start: line, count: wordLength)))
        }
        return hashes
    }

    private static var noRoom: RecognitionError {
        RecognitionError(
            .engineUnavailable, "There is no memory for the dictionary: \(String(cString: strerror(errno))).")
    }

    /// Calls `body` with each line, its length, and the length of its word: "read(2)" is the word "read".
    private static func read(
        _ path: String, _ body: (UnsafeMutablePointer<CChar>, Int, Int) -> Void
    ) throws(RecognitionError) {
        guard let source = fopen(path, "re") else {
            throw RecognitionError(
                .engineUnavailable, "\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        defer { fclose(source) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while case let length = getline(&line, &capacity, source), length > 0, let line {
            var end = strcspn(line, " \t\n")
            if end > 0, line[end - 1] == CChar(UInt8(ascii: ")")), case let bracket = strcspn(line, "("),
                bracket > 0
            {
                end = min(end, bracket)
            }
            if end > 0 { body(line, length, end) }
        }
    }

    private static func phones(_ line: UnsafePointer<CChar>) -> String {
        String(cString: line).split(whereSeparator: \.isWhitespace).dropFirst().joined(separator: " ")
    }
}

/// Looks up words of lines without creating strings.
private struct WantedWords {
    private let words: Set<String>
    private let hashes: Set<UInt64>

    init(_ words: Set<String>) {
        self.words = words
        hashes = Set(words.map { FowlerHash.of($0) })
    }

    func find(_ line: UnsafePointer<CChar>, _ length: Int) -> String? {
        let bytes = UnsafeBufferPointer(start: line, count: length)
        guard !words.isEmpty, hashes.contains(FowlerHash.of(bytes)) else { return nil }
        let word = String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return words.contains(word) ? word : nil
    }
}

/// FNV-1a.
enum FowlerHash {
    static func of(_ word: String) -> UInt64 {
        of(word.utf8.map { CChar(bitPattern: $0) })
    }

    static func of(_ bytes: some Sequence<CChar>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(UInt8(bitPattern: byte))) &* 0x100_0000_01b3 }
        return hash
    }
}
