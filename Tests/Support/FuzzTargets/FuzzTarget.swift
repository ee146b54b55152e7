import DictationSimulation

/// A function for a fuzzer: it reads any bytes as one of the service's inputs and checks what the reader promises.
///
/// `packaging/soak fuzz` runs these with libFuzzer, `FuzzTests` with the files of `Tests/FuzzTests/Corpus`.
public struct FuzzTarget: Sendable, CustomStringConvertible {
    /// Also the name of its folder in the corpus.
    public let name: String
    /// Valid inputs that are not text, in addition to the files of the corpus.
    public let seeds: [[UInt8]]
    /// - Throws: a ``FuzzFailure`` if a promise is broken. Invalid input is not a failure.
    public let run: @Sendable ([UInt8]) throws -> Void

    public var description: String { name }

    /// Only debug builds have those that import modules for testing.
    #if DEBUG
        public static let all: [FuzzTarget] = [
            .busMessage, .configuration, .history, .journal, .keyFiles, .wave, .writtenForm, .wyoming,
        ]
    #else
        public static let all: [FuzzTarget] = [.writtenForm]
    #endif

    init(_ name: String, seeds: [[UInt8]] = [], run: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.seeds = seeds
        self.run = run
    }
}

/// A broken promise.
public struct FuzzFailure: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

func require(_ isSo: Bool, _ what: @autoclosure () -> String) throws(FuzzFailure) {
    if !isSo { throw FuzzFailure(what()) }
}

extension [UInt8] {
    /// The bytes in pieces of random length, the same for the same bytes.
    var pieces: [ArraySlice<UInt8>] {
        var generator = generator
        let longest = Int.random(in: 1...(count / 2 + 1), using: &generator)
        var pieces: [ArraySlice<UInt8>] = []
        var rest = self[...]
        while !rest.isEmpty {
            pieces.append(rest.prefix(Int.random(in: 1...longest, using: &generator)))
            rest = rest.dropFirst(pieces[pieces.count - 1].count)
        }
        return pieces
    }

    /// The same random numbers for the same bytes. Seeded with their FNV-1a hash.
    var generator: SeededGenerator {
        SeededGenerator(seed: reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 })
    }
}
