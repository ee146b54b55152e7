import Testing

@testable import Typing

/// A program that has a field types there alone.
@Suite struct OwnFieldTests {
    private func desk(_ style: TypingStyle = TypingStyle(fitsCapitals: false)) -> TypingDesk {
        var desk = TypingDesk(style: style)
        desk.handle(.beginField)
        return desk
    }

    @Test func anotherFieldGetsNothing() {
        var desk = desk()
        desk.final("one")
        desk.run()
        let home = desk.field
        desk.focus(.entry("", id: "other", visit: 2))
        desk.handle(.partial(block: 2, text: "two"))
        desk.handle(.final(block: 2, text: "two", hasInitialCapital: false))
        desk.handle(.retracted(block: 2, offset: 0))
        desk.handle(.final(block: 3, text: "three", hasInitialCapital: false))
        desk.handle(.retracted(block: 3, offset: 0))
        #expect(desk.commits == ["one"])
        #expect(!desk.effects.contains(.split) && !desk.typist.isInOwnField)
        #expect(desk.states == [.arrived, .kept(.left), .retracted, .kept(.left), .retracted])
        // It is back, and only new text is typed.
        desk.focus(home)
        #expect(desk.typist.isInOwnField)
        desk.handle(.partial(block: 4, text: "four"))
        #expect(desk.shown == [" four"])
        desk.handle(.final(block: 4, text: "four", hasInitialCapital: false))
        desk.run()
        #expect(desk.text == "one four")
    }

    @Test func withoutFittingTextIsTypedAsItIs() {
        var style = TypingStyle()
        style.fitsText = false
        var desk = desk(style)
        for (block, text) in ["one", "two", "\n", " "].enumerated() {
            desk.handle(.final(block: UInt64(block + 1), text: text, hasInitialCapital: false))
            desk.run()
        }
        #expect(desk.text == "onetwo\n ")
    }

    /// By the text that it has now.
    @Test func theFieldIsRecognisedWhenItReturns() {
        var desk = desk()
        desk.final("one")
        desk.run()
        let home = desk.field
        desk.focus(.entry("", id: "other", visit: 2))
        desk.focus(home)
        desk.field?.visit = 3
        desk.focus(desk.field)
        #expect(desk.typist.isInOwnField)
    }

    @Test func theNextDictationIsNotBound() {
        var desk = desk()
        desk.handle(.end)
        #expect(!desk.typist.isInOwnField)
        desk.handle(.begin(block: 1))
        desk.focus(.entry("", id: "other", visit: 2))
        desk.handle(.partial(block: 2, text: "two"))
        #expect(desk.shown == ["two"])
    }
}
