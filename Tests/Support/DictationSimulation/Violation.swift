/// A broken promise, and the details.
public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The promises, in the order of the text on the interruption contract and the interface.
    public enum Promise: String, Hashable, Sendable, CaseIterable {
        case oneAnswerPerCall = "every call has one answer, of the right kind"
        case replyBeforeSignals = "Start is answered before the session's first signal"
        case nothingForTheDead = "nothing is done for a client or a session that is gone"
        case rightAudience = "signals reach only permitted receivers"
        case captureIffListening = "a stream is open if and only if a session may listen"
        case oneStream = "at most one stream is open"
        case latestHasTheMicrophone = "the latest session that may listen has the microphone"
        case rightMicrophone = "the requested microphone is opened"
        case truthfulState = "the signalled state and reasons are true"
        case truthfulNumbers = "the signalled numbers match the events"
        case truthfulRoute = "a change of microphone is signalled once, with the reason"
        case commitsInTime = "silence commits at once, an unused session pauses and ends in time"
        case episodeGrammar = "Interrupted is followed by one of Resumed, paused and Stopped"
        case oneErrorPerEpisode = "an interruption has one Error"
        case textGrows = "the text of a block only grows, and is sent without gaps"
        case oneOutcomePerCommit = "every commit has one outcome, in order, and Final precedes the reply"
        case noFinalForCancelled = "a cancelled block has no Final"
        case recogniserInStep = "the recogniser and the session agree on the block"
        case inhibitor = "sleep is delayed exactly until nothing captures"
        case nothingOverdue = "everything due is done"
        case noBusyLoop = "attempts are spaced out"
        case oneUserListens = "only the session of the user who is active captures"
        case calm = "in a calm world the desired state is reached"
        case players = "only players that were paused here and are still paused are resumed, in time"
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
