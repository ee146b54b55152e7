import DictationClient
import Testing

@Suite struct BlockTextTests {
    @Test func assemblesPartials() {
        var text = BlockText()
        text.apply(PartialText(block: 1, offset: 0, stable: "naïve ", volatile: "cafe"))
        #expect(text.text == "naïve cafe")
        text.apply(PartialText(block: 1, offset: 6, stable: "", volatile: "café"))
        text.apply(PartialText(block: 1, offset: 6, stable: "café ", volatile: "au"))
        #expect(text.stable == "naïve café ")
        #expect(text.volatile == "au")
    }

    @Test func countsUnicodeScalars() {
        var text = BlockText()
        // Five scalars, of which the last two are one character.
        text.apply(PartialText(block: 1, offset: 0, stable: "caf\u{65}\u{301}", volatile: ""))
        text.apply(PartialText(block: 1, offset: 5, stable: " noir", volatile: ""))
        #expect(text.text == "caf\u{65}\u{301} noir")
    }

    @Test func shrinksByRetractions() {
        var text = BlockText()
        text.apply(PartialText(block: 2, offset: 0, stable: "caf\u{65}\u{301} noir", volatile: ""))
        text.apply(Retraction(block: 1, offset: 0, scalars: 5))
        #expect(text.text == "caf\u{65}\u{301} noir")
        text.apply(Retraction(block: 2, offset: 5, scalars: 5))
        #expect(text.text == "caf\u{65}\u{301}")
        text.apply(Retraction(block: 2, offset: 900, scalars: 1))
        #expect(text.text == "caf\u{65}\u{301}")
    }

    @Test func aRepeatedPartialChangesNothing() {
        var text = BlockText()
        let partial = PartialText(block: 1, offset: 0, stable: "one ", volatile: "two")
        text.apply(partial)
        text.apply(partial)
        #expect(text.text == "one two")
    }

    @Test func anotherBlockStartsANewText() {
        var text = BlockText()
        text.apply(PartialText(block: 1, offset: 0, stable: "one", volatile: ""))
        text.apply(PartialText(block: 2, offset: 0, stable: "", volatile: "two"))
        #expect(text.text == "two")
        #expect(text.block == 2)
    }
}
