import Testing

@testable import Typing

@Suite struct RetractionTests {
    @Test func textThatIsTakenBackIsDeletedFromItsField() {
        var desk = TypingDesk(.entry("Said: "))
        desk.final("one 😀 day. Two days.")
        desk.run()
        #expect(desk.text == "Said: one 😀 day. Two days.")
        desk.tell(.retracted(block: 1, offset: 10))
        #expect(desk.deletions == [10])
        desk.partial("three", block: 2)
        desk.final("three", block: 2)
        #expect(desk.commits.count == 1, "typed before the deletion was seen")
        desk.meet(text: "Said: one 😀 day.")
        #expect(desk.outcomes.first { $0.id == 1 && $0.text == "one 😀 day." }?.state == .arrived)
        #expect(desk.commits.last == " three")
    }

    @Test func textThatIsNotASCIIIsNotDeleted() {
        var desk = TypingDesk(.entry("Said: "))
        desk.final("one 😀 day.")
        desk.run()
        desk.tell(.retracted(block: 1, offset: 0))
        #expect(desk.failedRetractions == [.notHere])
        #expect(desk.deletions.isEmpty)
    }

    @Test func wholeTextThatIsTakenBackLeavesNothing() {
        var desk = TypingDesk(.entry("Said."))
        desk.final("one day.")
        desk.run()
        #expect(desk.text == "Said. one day.")
        desk.tell(.retracted(block: 1, offset: 0))
        #expect(desk.deletions == [9])
        #expect(desk.states == [.arrived])
        desk.meet(text: "Said.")
        #expect(desk.states == [.arrived, .retracted])
    }

    @Test func addedSpaceAfterATextIsKept() {
        var desk = TypingDesk(.entry("here", cursor: 0))
        desk.final("one day. Two days.")
        desk.run()
        #expect(desk.text == "One day. Two days. here")
        desk.tell(.retracted(block: 1, offset: 8))
        #expect(desk.deletions == [10])
    }

    @Test func deletionThatTheFieldDoesNotShowIsReported() {
        var desk = TypingDesk()
        desk.final("one day.")
        desk.run()
        desk.tell(.retracted(block: 1, offset: 0))
        desk.meet(desk.field)
        desk.elapse()
        #expect(desk.failedRetractions == [.unseen])
        #expect(desk.states == [.arrived])
        // Text is never deleted twice.
        desk.tell(.retracted(block: 1, offset: 0))
        #expect(desk.failedRetractions == [.unseen, .notHere])
        #expect(desk.deletions.count == 1)
    }

    @Test func textThatIsTakenBackBeforeItIsTypedIsNotTyped() {
        var desk = TypingDesk()
        desk.partial("one")
        desk.meet(.entry(id: "other", visit: 2))
        desk.final("one two")
        desk.tell(.retracted(block: 1, offset: 3))
        desk.meet(.entry(visit: 3))
        desk.run()
        #expect(desk.commits == ["One"])
    }

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

    @Test func selectedTextIsNotDeleted() {
        var desk = TypingDesk()
        desk.final("one day.")
        desk.run()
        desk.field?.surrounding?.isSelecting = true
        desk.meet(desk.field)
        desk.tell(.retracted(block: 1, offset: 0))
        #expect(desk.failedRetractions == [.notHere])
    }

    @Test func textOfAnEarlierDictationStays() {
        var desk = TypingDesk()
        desk.final("one day.")
        desk.run()
        desk.tell(.end)
        desk.tell(.begin(block: 1))
        desk.tell(.retracted(block: 1, offset: 0))
        #expect(desk.failedRetractions == [.notHere])
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
