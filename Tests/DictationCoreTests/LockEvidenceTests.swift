import DictationCore
import Testing

@Suite struct LockEvidenceTests {
    private static let gnome = LockSource.screenSaver(.gnome)
    private static let kde = LockSource.screenSaver(.kde)
    private static let confirmation = LockEvidence.defaultConfirmation

    /// Evidence and its clock.
    private struct Story {
        var evidence = LockEvidence()
        var now = Duration.zero

        mutating func wait(_ duration: Duration) {
            now += duration
            evidence.expire(at: now)
        }
    }

    private enum Step: Hashable, CaseIterable {
        case order, unlock, hint, noHint, saver, noSaver, vanish, act, wait

        func perform(on story: inout Story) {
            let now = story.now
            switch self {
            case .order: story.evidence.requestLock(true, at: now)
            case .unlock: story.evidence.requestLock(false, at: now)
            case .hint: story.evidence.report(.lockedHint, isLocked: true, at: now)
            case .noHint: story.evidence.report(.lockedHint, isLocked: false, at: now)
            case .saver: story.evidence.report(gnome, isLocked: true, at: now)
            case .noSaver: story.evidence.report(gnome, isLocked: false, at: now)
            case .vanish: story.evidence.vanish(gnome, at: now)
            case .act: story.evidence.userActed(at: now)
            case .wait: story.wait(confirmation)
            }
        }
    }

    @Test func aSourceThatReportsLockedIsBelieved() {
        for source in [LockSource.lockedHint] + ScreenSaver.allCases.map({ .screenSaver($0) }) {
            var evidence = LockEvidence()
            evidence.report(source, isLocked: true, at: .zero)
            #expect(evidence.lockedBy == source)
            evidence.userActed(at: .seconds(1_000))
            evidence.expire(at: .seconds(1_000))
            evidence.requestLock(false, at: .seconds(1_000))
            #expect(evidence.lockedBy == source)
            evidence.report(source, isLocked: false, at: .seconds(1_000))
            #expect(evidence.lockedBy == nil)
        }
    }

    @Test func aLockRequestHoldsWithoutSources() {
        var story = Story()
        story.evidence.requestLock(true, at: story.now)
        story.evidence.report(.lockedHint, isLocked: false, at: story.now)
        story.wait(.seconds(100_000))
        #expect(story.evidence.lockedBy == .lockSignal)
        #expect(story.evidence.deadline == nil)
        story.evidence.requestLock(false, at: story.now)
        #expect(story.evidence.lockedBy == nil)
    }

    @Test func aConfirmedRequestEndsWhenItsSourceUnlocks() {
        var story = Story()
        story.evidence.requestLock(true, at: story.now)
        story.evidence.report(Self.gnome, isLocked: true, at: story.now)
        story.evidence.report(.lockedHint, isLocked: true, at: story.now)
        #expect(story.evidence.lockedBy == .lockedHint)
        story.evidence.report(.lockedHint, isLocked: false, at: story.now)
        #expect(story.evidence.lockedBy == Self.gnome)
        story.evidence.report(Self.gnome, isLocked: false, at: story.now)
        #expect(story.evidence.lockedBy == nil)
    }

    @Test func aSourceThatNeverReportedLockedEndsNoRequest() {
        var story = Story()
        story.evidence.report(Self.gnome, isLocked: false, at: story.now)
        story.evidence.requestLock(true, at: story.now)
        story.evidence.report(Self.gnome, isLocked: false, at: story.now)
        story.wait(.seconds(1_000))
        #expect(story.evidence.lockedBy == .lockSignal)
    }

    @Test func anUnconfirmedRequestTimesOutWithAReliableSource() {
        var story = Story()
        story.evidence.report(Self.gnome, isLocked: true, at: story.now)
        story.evidence.report(Self.gnome, isLocked: false, at: story.now)
        story.evidence.requestLock(true, at: story.now)
        #expect(story.evidence.deadline == Self.confirmation)
        story.wait(Self.confirmation - .nanoseconds(1))
        #expect(story.evidence.lockedBy == .lockSignal)
        story.wait(.nanoseconds(1))
        #expect(story.evidence.lockedBy == nil)
    }

    @Test func userActivityEndsAnUnconfirmedRequest() {
        var story = Story()
        story.evidence.requestLock(true, at: story.now)
        story.wait(Self.confirmation - .nanoseconds(1))
        story.evidence.userActed(at: story.now)
        #expect(story.evidence.lockedBy == .lockSignal)
        story.wait(.nanoseconds(1))
        #expect(story.evidence.lockedBy == .lockSignal)
        story.evidence.userActed(at: story.now)
        #expect(story.evidence.lockedBy == nil)
    }

    @Test func aLockedScreenSaverThatExitsLeavesTheScreenLocked() {
        var story = Story()
        story.evidence.report(Self.kde, isLocked: true, at: story.now)
        story.evidence.vanish(Self.kde, at: story.now)
        story.wait(.seconds(1_000))
        #expect(story.evidence.lockedBy == Self.kde)
        // Its successor is able to say locked.
        story.evidence.report(Self.kde, isLocked: false, at: story.now)
        story.evidence.expire(at: story.now)
        #expect(story.evidence.lockedBy == nil)
    }

    @Test func anUnlockedScreenSaverThatExitsChangesNothing() {
        var evidence = LockEvidence()
        evidence.report(Self.kde, isLocked: false, at: .zero)
        evidence.vanish(Self.kde, at: .zero)
        #expect(evidence.isEmpty)
        #expect(evidence.lockedBy == nil)
    }

    /// Checks the invariants in every state of every history of up to five steps.
    @Test func everyShortHistoryKeepsTheRule() {
        var count = 0
        func visit(_ story: Story, _ history: [Step]) {
            count += 1
            check(story, history)
            guard history.count < 5 else { return }
            for step in Step.allCases {
                var next = story
                step.perform(on: &next)
                visit(next, history + [step])
            }
        }
        visit(Story(), [])
        #expect(count == 66_430)
    }

    private func check(_ story: Story, _ history: [Step]) {
        let hint = history.last { [.hint, .noHint].contains($0) }
        let saver = history.last { [.saver, .noSaver, .vanish].contains($0) }
        let isSaidLocked = hint == .hint || saver == .saver
        let isLocked = story.evidence.lockedBy != nil
        if isSaidLocked != isLocked || history.last == .order {
            // A source's report always counts. Without one, only a request or a source that disappeared can lock.
            #expect(isLocked, "\(history)")
            #expect(isSaidLocked || history.contains(.order) || history.contains(.vanish), "\(history)")
            #expect(history.last != .unlock || isSaidLocked, "\(history)")
        }
        // Without a report, only the confirmation time ends a request.
        let sinceOrder = history.reversed().prefix { $0 != .order }
        if history.contains(.order), sinceOrder.allSatisfy({ $0 == .act }) {
            #expect(isLocked, "\(history)")
        }
        // No request lasts forever.
        var last = story
        if !isSaidLocked {
            last.wait(Self.confirmation)
            last.evidence.userActed(at: last.now)
            #expect(last.evidence.lockedBy == nil, "\(history)")
        }
    }
}
