/// A promise that was broken, and how.
public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The promises, in the order of the text on the interruption contract and the interface.
    public enum Promise: String, Hashable, Sendable, CaseIterable {
        case oneAnswerPerCall = "every call has one answer, of the right kind"
        case replyBeforeSignals = "Start is answered before anything is told of the session"
        case nothingForTheDead = "nothing is done for a client or a session that is gone"
        case rightAudience = "signals reach those who may have them, and nobody else"
        case captureIffListening = "a stream is open if and only if a session may listen"
        case oneStream = "at most one stream is open"
        case latestHasTheMicrophone = "the latest that wants and may has the microphone"
        case rightMicrophone = "the microphone that is opened is the one that is asked for"
        case truthfulState = "the state and the reasons told are those that are so"
        case truthfulNumbers = "the numbers told are those that went in"
        case truthfulRoute = "a change of microphone is told once, with what changed and why"
        case commitsInTime = "silence commits at once, a session left alone pauses and ends in time"
        case episodeGrammar = "Interrupted is followed by one of Resumed, paused and Stopped"
        case oneErrorPerEpisode = "one Error is told in an interruption"
        case textGrows = "the text of a block only grows, and is told without gap"
        case oneOutcomePerCommit = "every commit has one outcome, in order, and Final precedes the reply"
        case noFinalForCancelled = "a cancelled block has no Final"
        case recogniserInStep = "the recogniser and the session agree on the block"
        case inhibitor = "sleep is held up exactly until nothing captures"
        case nothingOverdue = "whatever is due is done"
        case noBusyLoop = "attempts are spaced out"
        case oneUserListens = "only the session of the user who is active captures"
        case calm = "in a calm world everything is as it is wanted"
        case players = "only what was paused here and is still paused is resumed, and only when that may be"
    }

    public var promise: Promise
    public var detail: String

    init(_ promise: Promise, _ detail: String) {
        self.promise = promise
        self.detail = detail
    }

    public var description: String { "\(promise.rawValue): \(detail)" }
}

func require(
    _ isSo: Bool, _ promise: Violation.Promise, _ detail: @autoclosure () -> String
) throws(Violation) {
    if !isSo { throw Violation(promise, detail()) }
}
