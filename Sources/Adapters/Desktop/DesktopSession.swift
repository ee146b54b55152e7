public import DictationCore
public import EventLoop

/// What a worker needs of its user's desktop session: ``LocalDesktopSession``.
@EventLoopActor
public protocol DesktopSession: Prompter {
    /// Starts publishing. The first facts come soon, later ones after each change.
    func begin(_ report: @escaping @EventLoopActor (DesktopEvent) -> Void)

    /// Stops publishing, releases the sleep inhibitor, and returns when the pending calls to players are done.
    func end() async

    /// A new connection to the user's audio server, on which nothing was sent yet.
    nonisolated func openPipeWireRemote() async throws -> Descriptor

    /// Asks for real-time priority for a thread of this process. It only reduces audio loss on a busy machine; a
    /// refusal is reported as ``DesktopEvent/trouble(_:)``.
    func prioritize(thread: Int32)

    /// A person has started or resumed dictation with a program that is not in a sandbox. Facts that change because of
    /// it are published before this returns.
    func userActed()

    /// Takes or releases the sleep delay inhibitor. Taken at the start.
    func delaySleep(_ delays: Bool)

    /// Tells the media players' controller what dictation does.
    func follow(_ activity: DictationActivity)
}

public enum DesktopEvent: Sendable {
    case seat(SeatFacts)
    /// The audio server has just started to listen: connect now instead of waiting. A hint; it may be missing.
    case audioServerAppeared
    /// A failure, reported once until it works again. For the log.
    case trouble(DesktopError)
}
