import DictationCore
import DictationTestKit
import Foundation
import Testing

@testable import Recognition

struct PocketSphinxTests {
    private static let catalog = EngineCatalog(engines: [PocketSphinxEngine()])
    /// The cache of what is learned from the dictionary.
    private static let kept = Result { try TemporaryDirectory() }

    private func catalogThatKeeps() throws -> (EngineCatalog, folder: TemporaryDirectory) {
        let folder = try Self.kept.get()
        let pronouncer = Pronouncer(folder: folder.path(of: "state"))
        return (EngineCatalog(engines: [PocketSphinxEngine(pronouncer: pronouncer)]), folder)
    }

    private func request(grammar: String? = nil, _ vocabulary: [TranscriptionRequest.VocabularyEntry] = [])
        -> TranscriptionRequest
    {
        TranscriptionRequest(
            engine: "pocketsphinx", language: "en-US", grammar: grammar, vocabulary: vocabulary)
    }

    private func dictate(
        _ samples: [Int16], _ request: TranscriptionRequest, with catalog: EngineCatalog = Self.catalog
    ) -> EventLog {
        let log = EventLog()
        let transcription = catalog.open(request, into: log)
        transcription.append(samples)
        transcription.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        transcription.close()
        return log
    }

    @Test(arguments: [false, true]) func hearsNoWordsInATune(isRecorded: Bool) {
        var request = request()
        request.isRecorded = isRecorded
        let log = dictate(PluckedNotes.tune(seconds: 20), request)
        #expect(log.text(of: 1).isEmpty, "\(log.text(of: 1))")
        #expect(log.all.contains(.noise(1)))
    }

    @Test(arguments: ["en-GB", "en-AU", "en", "EN_us"]) func oneModelServesEveryRegion(_ language: String)
        throws
    {
        var request = request()
        request.language = language
        let chosen = try Self.catalog.choose(request, from: ["pocketsphinx"], previewsFrom: ["pocketsphinx"])
        #expect(chosen.models == ["pocketsphinx": "en-US"])
        #expect(dictate(try Sound.recording("goforward.raw"), chosen).text(of: 1) == "go forward ten meters")
        request.language = "de-DE"
        #expect(throws: RecognitionError.self) {
            try Self.catalog.choose(request, from: ["pocketsphinx"], previewsFrom: ["pocketsphinx"])
        }
    }

    @Test func recognisesASentenceWithTimesAndConfidences() throws {
        let log = dictate(try Sound.recording("goforward.raw"), request())
        #expect(log.text(of: 1) == "go forward ten meters")
        let words = log.segments(of: 1).flatMap(\.words)
        #expect(words.map(\.text) == ["go", "forward", "ten", "meters"])
        #expect(zip(words, words.dropFirst()).allSatisfy { $0.end <= $1.start + 0.011 })
        #expect(words.allSatisfy { (0...1).contains($0.confidence ?? -1) && $0.start < $0.end })
        #expect(words.allSatisfy { $0.start >= 0 && $0.end <= 2.79 })
    }

    @Test func givesHypothesesDuringSpeech() throws {
        let log = dictate(try Sound.recording("goforward.raw"), request())
        let hypotheses = log.all.compactMap { if case .hypothesis(1, let text) = $0 { text } else { nil } }
        #expect(hypotheses.contains { $0.hasPrefix("go") })
    }

    @Test func aGrammarLimitsTheText() throws {
        let folder = "/usr/share/pocketsphinx/test/data/"
        let grammar = try String(contentsOfFile: folder + "cards/cards.gram", encoding: .utf8)
        let references = [
            "ten of clubs", "four queen of clubs", "seven of clubs", "five five",
            "eight of spades four of clubs seven of hearts",
        ]
        var errors = WordErrorRate()
        for (index, reference) in references.enumerated() {
            let samples = try Sound.recording("cards/00\(index + 1).wav")
            errors.add(dictate(samples, request(grammar: grammar)).text(of: 1), reference: reference)
        }
        #expect(errors.errors <= 2, "\(errors)")
    }

    @Test func refusesInvalidGrammarsAndVocabularies() {
        let bad = [
            request(grammar: "this is no grammar"),
            request(grammar: "#JSGF V1.0;\ngrammar g;\n<private> = go;"),
            request(grammar: "#JSGF V1.0;\ngrammar g;\nimport <other.rule>;\npublic <a> = <other.rule>;"),
            request([.init(word: "two words")]),
            request([.init(word: "ubuntu", pronunciation: "not Arpabet")]),
        ]
        for request in bad {
            #expect(throws: RecognitionError.self) {
                try Self.catalog.check(request)
                _ = try Self.catalog.examine(request)
            }
        }
    }

    @Test func namesAWordWithoutAPronunciationBeforeLoading()
        throws
    {
        let (catalog, _) = try catalogThatKeeps()
        // An empty pronunciation means that one is made.
        for entries in [
            [TranscriptionRequest.VocabularyEntry(word: "n1nesuch")],
            [
                .init(word: "ubuntu", pronunciation: "UW B UH N T UW"),
                .init(word: "n1nesuch", pronunciation: ""),
            ],
            [.init(word: "ubuntu", pronunciation: "oo дом too")],
        ] {
            let error = #expect(throws: RecognitionError.self) {
                try catalog.check(request(entries))
                _ = try catalog.examine(request(entries))
            }
            #expect(error?.kind == .invalidOptions)
            let word = entries[0].word == "ubuntu" && entries.count == 1 ? "'дом'" : "'n1nesuch'"
            #expect(error?.message.hasPrefix(word) == true, "\(error?.message ?? "")")
        }
    }

    @Test
    func
        findsPronunciationsInDictionarySimilarWordsOrSpelling()
        throws
    {
        let (catalog, folder) = try catalogThatKeeps()
        func examined(_ entries: [TranscriptionRequest.VocabularyEntry]) throws -> [String: [String?]] {
            let request = try catalog.examine(request(entries))
            return Dictionary(grouping: request.vocabulary, by: \.word).mapValues { $0.map(\.pronunciation) }
        }
        let first = try examined([
            .init(word: "forward"), .init(word: "London"), .init(word: "nginx", pronunciation: "engine ex"),
            .init(word: "kubernetes"), .init(word: "ubuntu", pronunciation: "UW B UH N T UW"),
        ])
        #expect(first["forward"] == [nil])
        #expect(first["London"] == ["L AH N D AH N"])
        #expect(first["nginx"] == ["EH N JH AH N EH K S", "IH N JH AH N EH K S"])
        #expect(first["kubernetes"]?.contains("K UW B ER N EH T IY Z") == true)
        #expect(first["kubernetes"]?.count == 3)
        #expect(first["ubuntu"] == ["UW B UH N T UW"])
        // The model was saved.
        let kept = folder.path(of: "state/pronunciations")
        let written = try FileManager.default.attributesOfItem(atPath: kept)[.modificationDate] as? Date
        #expect(try examined([.init(word: "kubernetes")])["kubernetes"] == first["kubernetes"])
        #expect(
            try FileManager.default.attributesOfItem(atPath: kept)[.modificationDate] as? Date == written)
        // An invalid file is replaced.
        try Data([1, 2, 3]).write(to: URL(filePath: kept))
        #expect(try examined([.init(word: "kubernetes")])["kubernetes"] == first["kubernetes"])
    }

    @Test func anUnknownPhoneIsAClientError() {
        let log = EventLog()
        let transcription = Self.catalog.open(
            request([.init(word: "kubernetes", pronunciation: "K QQ")]), into: log)
        guard case .engineLost(.clientMistake, let message) = log.waitForAnswer() else {
            Issue.record("not refused: \(log.all)")
            return
        }
        #expect(message.contains("kubernetes"))
        transcription.close()
    }

    /// In espeak-ng's phonemes, because its versions pronounce the word differently.
    private static let spoken = "we run [[kj'u:b3n,i:ts]] in the cloud"

    @Test func recognisesVocabularyInContext() throws {
        let speech = try Sound.synthesized(Self.spoken)
        let words = [
            TranscriptionRequest.VocabularyEntry(word: "kubernetes", pronunciation: "K Y UW B ER N IY T S")
        ]
        #expect(dictate(speech, request(words)).text(of: 1).contains("kubernetes"))
    }

    /// A dictionary takes 15 MB.
    @Test func changesOfTheVocabularyLoadNoDecoderAndLeakNothing() throws {
        let pool = DecoderPool(limit: 4)
        let catalog = EngineCatalog(engines: [PocketSphinxEngine()], pool: pool)
        let speech = try Sound.synthesized(Self.spoken)
        let kubernetes = TranscriptionRequest.VocabularyEntry(
            word: "kubernetes", pronunciation: "K Y UW B ER N IY T S")
        var resident = 0
        for change in 0..<20 {
            let other = TranscriptionRequest.VocabularyEntry(
                word: "word\(change)", pronunciation: "Z ZH AO TH NG")
            let hasWord = change % 10 == 0
            let request = request(hasWord ? [kubernetes, other] : [other])
            if change % 10 < 2 {
                let text = dictate(speech, request, with: catalog).text(of: 1)
                #expect(text.contains("kubernetes") == hasWord, "\(text)")
            } else {
                let log = EventLog()
                let transcription = catalog.open(request, into: log)
                guard case .ready = log.waitForAnswer() else {
                    Issue.record("not ready: \(log.all)")
                    return
                }
                transcription.close()
            }
            #expect(waitUntil { pool.idleCount == 1 })
            if change == 6 { resident = try Self.residentBytes() }
        }
        #expect(pool.count == 1)
        let growth = try Self.residentBytes() - resident
        #expect(growth < 20 << 20, "\(growth) bytes more")
    }

    private static func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (Int(fields[1]) ?? 0) * 4096
    }

    @Test func acceptsMoreWordsThanClassesAndRecognisesOrdinarySpeech() throws {
        let words = (0..<300).map { index in
            TranscriptionRequest.VocabularyEntry(
                word: "word\(index)", pronunciation: "Z ZH \(index % 2 == 0 ? "AO" : "OY") TH NG")
        }
        #expect(
            dictate(try Sound.recording("goforward.raw"), request(words)).text(of: 1)
                == "go forward ten meters")
    }

    /// Without the marks the first is understood as "and at one".
    @Test(arguments: [
        ("this is the end exclamation point", ["\\exclamation_point"]),
        ("the comma is in the wrong place", []),
    ])
    func distinguishesSpokenMarksFromWords(sentence: String, marks: [String]) throws {
        var request = request()
        request.spokenMarks = ["comma", "period", "exclamation point", "new paragraph", "xyzzy mark"]
        let words = dictate(try Sound.synthesized(sentence), request).text(of: 1).split(separator: " ")
        #expect(words.filter { $0.hasPrefix("\\") } == marks.map { Substring($0) }, "\(words)")
    }

    @Test func acceptsAnotherPronunciation() throws {
        let word = TranscriptionRequest.VocabularyEntry(word: "meters", pronunciation: "M IY T AH Z")
        #expect(
            dictate(try Sound.recording("goforward.raw"), request([word])).text(of: 1)
                == "go forward ten meters")
    }

    @Test func refusesAnUnpronounceableWordWhenLoading() {
        let log = EventLog()
        let transcription = Self.catalog.open(request([.init(word: "nonesuchword")]), into: log)
        guard case .engineLost(.clientMistake, let message) = log.waitForAnswer() else {
            Issue.record("not refused: \(log.all)")
            return
        }
        #expect(message.contains("nonesuchword"))
        transcription.close()
    }

    @Test func addsADictionaryWordToTheLanguageModel() throws {
        // CMUdict has it; Debian's language model does not.
        let word = TranscriptionRequest.VocabularyEntry(word: "aardema")
        let log = dictate(try Sound.recording("goforward.raw"), request([word]))
        #expect(log.text(of: 1) == "go forward ten meters")
    }

    @Test func aMissingModelNamesThePackage() {
        let engine = PocketSphinxEngine(model: "/nonexistent")
        #expect(engine.languages.isEmpty)
        let problem = EngineCatalog(engines: [engine]).entries[0].problem ?? ""
        #expect(problem.contains("apt install pocketsphinx-en-us"))
    }

    @Test func aModelOfAnotherLanguageComesFromItsFolder() throws {
        // The model that is installed, under names like those of other languages' models.
        let folder = try TemporaryDirectory()
        for (name, file) in [
            ("acoustic", "en-us"), ("fr-small.lm.bin", "en-us.lm.bin"), ("fr.dict", "cmudict-en-us.dict"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(of: name),
                withDestinationPath: "\(PocketSphinxEngine.debianModel)/\(file)")
        }
        let engine = PocketSphinxEngine(
            models: ["fr-FR": folder.path, "de-DE": "/nonexistent"])
        #expect(engine.languages == ["en-US", "fr-FR"])
        for language in ["fr-FR", "fr", "fr-CA"] {
            try engine.check(RecognizerSettings(language: language))
            #expect(engine.model(for: language) == "fr-FR")
        }
        let missing = #expect(throws: RecognitionError.self) {
            try engine.check(RecognizerSettings(language: "de-DE"))
        }
        #expect(missing?.kind == .engineUnavailable)
        #expect(missing?.message.contains("/nonexistent") == true)

        let log = EventLog()
        let french = TranscriptionRequest(engine: "pocketsphinx", language: "fr-FR")
        let transcription = EngineCatalog(engines: [engine]).open(french, into: log)
        transcription.append(try Sound.recording("goforward.raw"))
        transcription.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        transcription.close()
        #expect(log.text(of: 1) == "go forward ten meters")
    }

    @Test func fillersAndPronunciationNumbersAreNotWords() {
        #expect(SphinxResult.plain("<sil>") == nil)
        #expect(SphinxResult.plain("(NULL)") == nil)
        #expect(SphinxResult.plain("</s>") == nil)
        #expect(SphinxResult.plain("[NOISE]") == nil)
        #expect(SphinxResult.plain("++BREATH++") == nil)
        #expect(SphinxResult.plain("the(2)") == "the")
        #expect(SphinxResult.plain("don't") == "don't")
    }
}
