public import DictationCore
public import EventLoop

/// What a user's desktop session tells and lends to the service. Where the service runs in that session itself, it is
/// ``LocalDesktopSession``; where one service serves all users, an agent in each session answers over the bus.
@EventLoopActor
public protocol DesktopSession: Prompter {
    /// Begins to tell. What is so is told soon, and again whenever it has changed.
    func begin(_ tell: @escaping @EventLoopActor (DesktopEvent) -> Void)

    /// Tells no more, lets the machine sleep, and returns when the players have done what they were asked.
    func end() async

    /// A new connection to the user's audio server, not yet spoken on.
    nonisolated func openPipeWireRemote() async throws -> Descriptor

    /// Asks for real-time priority for a thread of this process. Nothing depends on it but how well sound keeps its time
    /// on a busy machine; a refusal is told as ``DesktopEvent/trouble(_:)``.
    func prioritize(thread: Int32)

    /// A person has started or resumed dictation, by a program that is not in a sandbox. What the session tells because of
    /// that, it tells before this returns.
    func userActed()

    /// Delays sleep, or lets it go on at once. From the beginning it is delayed.
    func delaySleep(_ delays: Bool)

    /// Has the media players follow what dictation does.
    func follow(_ activity: DictationActivity)
}

public enum DesktopEvent: Sendable {
    case seat(SeatFacts)
    /// The audio server has just begun to listen: whoever waits for it need not wait any longer. A hint, that may be
    /// missing.
    case audioServerAppeared
    /// Whoever lent the connection to the audio server has gone: it must not be used any longer.
    case audioServerWithdrawn
    /// Something does not work. Told once until it works again, for the log.
    case trouble(DesktopError)
}
