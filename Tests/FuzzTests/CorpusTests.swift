import DictationTestKit
import Foundation
import FuzzTargets
import Testing

/// The fuzz targets with the inputs of the corpus, and with mutations of them that are the same each time.
/// `packaging/soak fuzz` looks for new inputs, and puts those that fail into the corpus.
@Suite struct CorpusTests {
    private static let folder = repository.appending(path: "Tests/FuzzTests/Corpus")
    /// Of one target.
    private static let mutations = 500

    private static func corpus(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let folder = folder.appending(path: target.name)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.map { ($0, [UInt8](try Data(contentsOf: folder.appending(path: $0)))) }
            + target.seeds.enumerated().map { ("seed \($0)", $1) }
    }

    @Test func everyFolderIsThatOfATarget() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(names.sorted() == FuzzTarget.all.map(\.name).sorted())
    }

    @Test(arguments: FuzzTarget.all) func noInputBreaksAPromise(target: FuzzTarget) throws {
        let corpus = try Self.corpus(of: target)
        try #require(corpus.count > 3)
        for input in corpus { try Self.run(target, input.bytes, "\(input.name)") }
        var mutator = Mutator(seed: 1)
        let rounds = Self.mutations / corpus.count
        for input in corpus {
            for round in 0..<rounds {
                let other = corpus[Int.random(in: 0..<corpus.count, using: &mutator)].bytes
                try Self.run(
                    target, mutator.mutated(input.bytes, with: other), "mutation \(round) of \(input.name)")
            }
        }
    }

    private static func run(_ target: FuzzTarget, _ bytes: [UInt8], _ name: String) throws {
        do {
            try target.run(bytes)
        } catch {
            throw TestFailure("\(target), \(name): \(error)\n\(Data(bytes).base64EncodedString())")
        }
    }
}
