import DBus
import DictationCore
import Testing

@testable import DictationBus
@testable import DictationWorker

/// Merging of signals while a client does not read.
@Suite struct NoticeTests {
    private let session = SessionID(rawValue: 1)

    private func partial(
        _ block: BlockNumber, _ offset: Int, _ stable: String, _ volatile: String, of session: UInt64 = 1
    ) -> Notice {
        .session(
            .partial(block, offset: offset, stable: stable, volatile: VolatileText(volatile)),
            SessionID(rawValue: session))
    }

    @Test func partialsOfABlockAddUp() {
        let merged = partial(1, 9, " of that", " time").merged(with: partial(1, 4, " much", " of"))
        guard case .session(.partial(1, let offset, let stable, let volatile), session) = merged else {
            return #expect(Bool(false), "\(merged)")
        }
        #expect(offset == 4)
        #expect(stable == " much of that")
        #expect(volatile == " time")
    }

    @Test func aPartialOfTheNextBlockReplacesThatOfTheLast() {
        let merged = partial(2, 0, "new", "").merged(with: partial(1, 4, "old", ""))
        guard case .session(.partial(2, 0, "new", ""), session) = merged else {
            return #expect(Bool(false), "\(merged)")
        }
    }

    @Test func propertiesAddUp() {
        let earlier = Notice.properties(["State": .string("idle"), "InUse": .bool(false)])
        let merged = Notice.properties(["State": .string("listening")]).merged(with: earlier)
        guard case .properties(let properties) = merged else { return #expect(Bool(false), "\(merged)") }
        #expect(properties == ["State": .string("listening"), "InUse": .bool(false)])
    }

    private func state(_ state: SessionState) -> Notice {
        .session(.stateChanged(state, cause: .paused, reasons: [], pending: 0), session)
    }

    /// An interruption ends with exactly one of Resumed, StateChanged to "paused", or Stopped.
    @Test func statesAreMergedButNotAcrossAnInterruption() {
        #expect(state(.listening).kind == .state(session))
        #expect(state(.listening).separated == .none)
        #expect(state(.paused).separated == .kind(.state(session)))
        let interruption: [SessionSignal] = [
            .interrupted(.call, all: [.call]),
            .resumed(.call, EndedInterruption(reasons: [.call], duration: 1)),
        ]
        for signal in interruption {
            #expect(Notice.session(signal, session).separated == .kind(.state(session)))
        }
    }

    @Test func onlyPartialsLevelsStatesProblemsAndPropertiesAreMerged() {
        #expect(partial(1, 0, "a", "").kind == partial(2, 0, "b", "").kind)
        #expect(partial(1, 0, "a", "").kind != partial(1, 0, "a", "", of: 2).kind)
        #expect(Notice.session(.level(SoundLevel(rms: -20, peak: -10)), session).kind == .level(session))
        #expect(Notice.session(.problemsChanged([.muted]), session).kind == .problems(session))
        let kept: [SessionSignal] = [
            .stopped(.stopped), .error(Refusal(.timeout, "late")), .interrupted(.call, all: [.call]),
            .stateChanged(.paused, cause: .paused, reasons: [], pending: 0),
        ]
        for signal in kept { #expect(Notice.session(signal, session).kind == nil) }
    }

    @Test func theSizeGrowsWithTheText() {
        let text = String(repeating: "é", count: 1000)
        #expect(partial(1, 0, text, text).size >= partial(1, 0, "", "").size + 4000)
    }
}
