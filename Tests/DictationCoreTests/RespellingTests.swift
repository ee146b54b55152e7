import DictationCore
import Testing

@Suite struct RespellingTests {
    private static let ordinary: Set<String> = [
        "the", "wire", "plumber", "pipe", "and", "swift", "is", "started", "a", "in", "with", "pirate", "we",
        "use",
        "fedora", "feta", "ask", "cooper", "needs", "restart", "wired",
    ]

    private func respell(_ text: String, _ terms: String...) -> String {
        Respelling(terms.map { .init($0) }) { Self.ordinary.contains($0) }(text)
    }

    @Test(arguments: [
        ("We restart wire plumber.", "We restart WirePlumber."),
        ("The pipewhire is started", "The PipeWire is started"),
        ("Use Coobernetes, and swift.", "Use Kubernetes, and swift."),
        ("We use Kubernettis's pipe", "We use Kubernetes's pipe"),
        ("(Pipe wire)", "(PipeWire)"),
        ("pipewire", "PipeWire"), ("'s done, pipewhire", "'s done, PipeWire"),
    ])
    func writesWhatTheUserWouldWrite(_ text: String, _ respelled: String) {
        #expect(respell(text, "WirePlumber", "PipeWire", "Kubernetes") == respelled)
    }

    @Test(arguments: [
        // Ordinary words, however near.
        "The pirate needs the pipe", "Wired and started", "We use the wire",
        // Far from all.
        "Hello from the other side", "",
        // A mark is between the words.
        "We need a pipe, wire and feta",
        "PipeWire is started", "PipeWire  is  started", "  two  spaces ",
        // Half of the letters are right.
        "We use PipeMode",
    ])
    func leavesOrdinaryTextAlone(_ text: String) {
        #expect(respell(text, "WirePlumber", "PipeWire", "Kubernetes") == text)
    }

    @Test func whatTheUserKnowsThatEnginesWriteIsReplaced() {
        let respelling = Respelling([
            .init("nginx", alike: ["engine ex", "engine x"]), .init("SQL", alike: ["see quell"]),
            .init("Schulz", alike: ["shoots"]),
        ]) { ["engine", "ex", "see", "quell", "shoots", "we", "use"].contains($0) }
        #expect(respelling("We use Engine X.") == "We use nginx.")
        #expect(respelling("We use engine ex, and see quell") == "We use nginx, and SQL")
        // An ordinary word alone stays, and so do words with a mark between them.
        #expect(respelling("He shoots. We use engine, ex") == "He shoots. We use engine, ex")
        #expect(respelling("the sequel") == "the sequel")
    }

    @Test func shortWordsAreNotLookedFor() {
        #expect(respell("ask Copper", "Cope") == "ask Copper")
        #expect(respell("ask nexus", "Nexus") == "ask Nexus")
    }

    @Test func anOrdinaryWordMayBeginASentence() {
        #expect(
            respell("Cooper needs the wire. Cooper is in.", "Kooper")
                == "Cooper needs the wire. Cooper is in.")
        #expect(respell("We ask Cooper", "Kooper") == "We ask Kooper")
    }

    @Test func theNearestWordWins() {
        #expect(respell("ask Kuperman", "Hooperman", "Cooperman") == "ask Cooperman")
    }

    @Test func longTextsAreNotChanged() {
        let text = [String](repeating: "pipewhire", count: 201).joined(separator: " ")
        #expect(respell(text, "PipeWire") == text)
    }
}
