import Testing

@testable import Typing

@Suite struct RetractionTests {
    @Test func textThatIsNotBeforeTheCursorStays() {
        for field in [
            TextField.entry("One day.!"), .entry("One day.", cursor: 0), .entry(id: "other", visit: 2),
            .entry(nil), .entry("One day.", isSensitive: true), .terminal,
        ] {
            var desk = TypingDesk()
            desk.final("one day.")
            desk.run()
            desk.focus(field)
            desk.handle(.retracted(block: 1, offset: 0))
            #expect(desk.deletions.isEmpty)
            #expect(desk.failedRetractions == [.notHere])
        }
    }

    @Test func invalidOffsetsDeleteAtMostOnce() {
        var desk = TypingDesk()
        desk.final("one day.")
        desk.run()
        desk.handle(.retracted(block: 1, offset: .max))
        desk.handle(.retracted(block: 1, offset: -1))
        desk.handle(.retracted(block: .max, offset: 0))
        #expect(desk.deletions.count <= 1)
    }
}
