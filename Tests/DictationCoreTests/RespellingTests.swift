import DictationCore
import Testing

@Suite struct RespellingTests {
    private static let ordinary: Set<String> = [
        "the", "wire", "plumber", "pipe", "and", "swift", "is", "started", "a", "in", "with", "pirate", "we",
        "use",
        "fedora", "feta", "ask", "cooper", "needs", "restart", "wired",
    ]

    private func respell(_ text: String, _ terms: String...) -> String {
        Respelling(terms) { Self.ordinary.contains($0) }(text)
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
