import DictationCore
import DictationTestKit
import Testing

@testable import Recognition

struct GrammarTests {
    private static let header = "#JSGF V1.0;\ngrammar test;\n"

    private func graph(_ rules: String) throws(RecognitionError) -> GrammarGraph {
        try GrammarGraph(Self.header + rules)
    }

    /// The error message for a grammar; nil if it is valid.
    private func refusal(_ text: String) -> String? {
        do {
            _ = try GrammarGraph(text)
            return nil
        } catch {
            return error.kind == .invalidOptions ? error.message : "not a mistake of the client: \(error)"
        }
    }

    private func accepts(_ graph: GrammarGraph, _ sentence: String) -> Bool {
        var states: Set<Int> = [graph.start]
        for word in sentence.split(separator: " ") {
            let arcs = graph.arcs.filter { arc in
                states.contains(arc.from) && arc.word.map { graph.words[$0].text == word } ?? false
            }
            states = Set(arcs.map(\.to))
        }
        return states.contains(graph.final)
            || graph.arcs.contains { states.contains($0.from) && $0.word == nil }
    }

    @Test func expandsAGrammar() throws {
        let graph = try graph(
            """
            // The first public rule counts.
            public <command> = (open | /2/ close {tag}) [the] <thing>+ | stop /* now */ please*;
            <thing> = door | window | <NULL>;
            public <other> = never;
            """)
        for sentence in ["open door", "close the window door", "stop", "stop please please", "open the"] {
            #expect(accepts(graph, sentence), "\(sentence)")
        }
        for sentence in ["", "open the the door", "door", "stop door", "never", "please"] {
            #expect(!accepts(graph, sentence), "\(sentence)")
        }
    }

    @Test func writesAGrammarForPocketSphinx() throws {
        let text = try graph("public <x> = /9/ yes | /1/ no;").sphinxText(languageWeight: 2)
        let lines = text.split(separator: "\n")
        #expect(lines.first == "FSG_BEGIN grammar" && lines.last == "FSG_END")
        // The reader takes the logarithm times the weight: 0.9 to the power of 1/2.
        let probabilities = lines.filter { $0.hasPrefix("T ") }.compactMap { line -> Float? in
            let parts = line.split(separator: " ")
            return parts.count == 5 ? Float(parts[3]) : nil
        }
        #expect(probabilities.count == 2)
        #expect(abs((probabilities.max() ?? 0) - Float(0.9).squareRoot()) < 0.001)
    }

    /// PocketSphinx refuses a probability of 0.
    @Test func aVerySmallProbabilityIsNotZero() throws {
        let text = try graph("public <x> = /1e-300/ yes | /1/ no;").sphinxText(languageWeight: 1)
        #expect(!text.contains(" 0.0 "))
    }

    @Test func allowsTailRecursionOnly() throws {
        let list = try graph("public <list> = (one | two) [<rest>]; <rest> = and <list>;")
        #expect(accepts(list, "one and two and one"))
        #expect(!accepts(list, "one and"))
        #expect(refusal(Self.header + "public <a> = <a> one | two;")?.contains("line 3, column 14") == true)
        #expect(
            refusal(Self.header + "public <a> = (one <a>)* two;")?.contains("<a> refers to itself") == true)
        #expect(refusal(Self.header + "public <a> = one <a>;")?.contains("describes no sentence") == true)
    }

    @Test(arguments: [
        ("this is no grammar", "line 1, column 1"),
        ("#JSGF V1.0;\ngrammar g;\n<private> = go;", "no public rule"),
        ("#JSGF V1.0;\ngrammar g;\nimport <other.rule>;\npublic <a> = <other.rule>;", "line 3, column 1"),
        ("#JSGF V1.0;\ngrammar g;\npublic <a> = go\n  <missing>;", "line 4, column 3"),
        ("#JSGF V1.0;\ngrammar g;\npublic <a> = go (forward;", "line 3, column 25"),
        ("#JSGF V1.0;\ngrammar g;\npublic <a> = ;", "line 3, column 14"),
        ("#JSGF V1.0;\ngrammar g;\npublic <a> = go | ;", "line 3, column 19"),
        ("#JSGF V1.0;\ngrammar g;\npublic <a> = go", "end of the text"),
        ("#JSGF V1.0;\ngrammar g;\npublic <a> = go {tag;", "line 3, column 17"),
        ("#JSGF V1.0;\ngrammar g;\npublic <a> = go /* never closed", "line 3, column 17"),
        ("#JSGF V1.0;\ngrammar g;\npublic <a> = /x/ go | stop;", "line 3, column 14"),
        ("#JSGF V1.0;\ngrammar g;\npublic <a> = go;\n<a> = stop;", "line 4, column 1"),
    ]) func refusesAnInvalidGrammarWithItsPlace(text: String, place: String) {
        #expect(refusal(text)?.contains(place) == true, "\(refusal(text) ?? "accepted")")
    }

    /// Each would take PocketSphinx minutes and gigabytes.
    @Test(arguments: [
        "doubling", "optional words", "the same optional word", "deep brackets", "deep rules", "void rules",
        "words that multiply",
    ])
    func refusesExplodingGrammarsQuickly(kind: String) {
        let text =
            switch kind {
            case "doubling":
                "public <r0> = <r1> <r1>;" + (1..<40).map { "<r\($0)> = <r\($0 + 1)> <r\($0 + 1)>;" }.joined()
                    + "<r40> = yes;"
            case "optional words":
                "public <a> = " + (0..<400).map { "[word\($0)]" }.joined() + ";"
            case "the same optional word":
                "public <a> = " + String(repeating: "[yes]", count: 360) + ";"
            case "deep brackets":
                "public <a> = " + String(repeating: "(", count: 30_000) + "a"
                    + String(repeating: ")", count: 30_000) + ";"
            case "deep rules":
                "public <r0> = <r1>;" + (1..<2000).map { "<r\($0)> = <r\($0 + 1)>;" }.joined()
                    + "<r2000> = yes;"
            case "void rules":
                "public <a> = " + String(repeating: "<b>|", count: 4000) + "yes; <b> = "
                    + String(repeating: "<VOID>|", count: 4000) + "<VOID>;"
            default:
                "public <a> = <b> <b> <b>; <b> = [" + (0..<300).map { "w\($0)" }.joined(separator: "] [")
                    + "];"
            }
        let taken = threadTime { #expect(refusal(Self.header + text)?.hasPrefix("The grammar") == true) }
        #expect(taken < .seconds(5))
    }

    @Test func nestedRepetitionsAreOneRepetition() throws {
        let nested = try graph(
            "public <a> = " + String(repeating: "(", count: 30) + "yes" + String(repeating: "*)+", count: 30)
                + ";")
        #expect(nested.arcs.count < 10)
        #expect(accepts(nested, "yes yes yes") && accepts(nested, ""))
    }

    @Test func acceptsManyAlternatives() throws {
        let words = (0..<2000).map { "word\($0)" }.joined(separator: " | ")
        let graph = try graph("public <a> = call (\(words)) [please];")
        #expect(graph.arcs.count < 2100)
    }

    @Test func namesTheFirstUnknownWordWithItsPlace() {
        let engine = PocketSphinxEngine()
        let text = Self.header + "public <a> = go\n  forward to xyzzyplugh;"
        func examine(_ vocabulary: [TranscriptionRequest.VocabularyEntry]) throws {
            _ = try engine.examine(RecognizerSettings(grammar: text, vocabulary: vocabulary))
        }
        do {
            try examine([])
            Issue.record("accepted")
        } catch {
            #expect("\(error)".contains("line 4, column 14: 'xyzzyplugh'"), "\(error)")
        }
        #expect(throws: Never.self) { try examine([.init(word: "xyzzyplugh", pronunciation: "Z IH Z IY")]) }
    }
}
