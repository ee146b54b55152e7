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
            desk.meet(field)
            desk.tell(.retracted(block: 1, offset: 0))
            #expect(desk.deletions.isEmpty)
            #expect(desk.failedRetractions == [.notHere])
        }
    }

    @Test func invalidOffsetsDeleteAtMostOnce() {
        var desk = TypingDesk()
        desk.final("one day.")
        desk.run()
        desk.tell(.retracted(block: 1, offset: .max))
        desk.tell(.retracted(block: 1, offset: -1))
        desk.tell(.retracted(block: .max, offset: 0))
        #expect(desk.deletions.count <= 1)
    }
}
