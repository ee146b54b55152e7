import DictationCore

/// Faults that the checks must find. Each is the visible effect of a plausible mistake in the machine.
public enum Mutation: String, Hashable, Sendable, CaseIterable {
    /// A stream is not closed.
    case skippedRelease
    /// The machine ignores the lock screen.
    case droppedReason
    case doubleFinal
    /// A signal is sent to a client that has disconnected.
    case staleClient
    /// The last word of a finished text is missing.
    case shrinkingText
    case lostResume
    /// A player is resumed although it was not paused.
    case unpairedPlayer
    case playerDuringCall
    case forgottenInhibitor
    case lostReply
    case finalForCancelled
    /// Resumed is sent when the stream is opened, not when sound flows.
    case hastyResume
    /// Nothing due is done.
    case stoppedClock
    case textToStranger
    case secondStream
    case signalBeforeReply
    case lostVolatileText
    /// What was committed before a revocation is not sent when permission returns.
    case lostCommit
    /// A recogniser gets the end of another block than its present one.
    case skippedBlock
}

struct Fault: Hashable, Sendable {
    let mutation: Mutation
    private var vanished: ClientName?
    private var lastFinal: FinishedBlock?

    init(_ mutation: Mutation) { self.mutation = mutation }

    mutating func corrupt(_ event: Event) -> Event? {
        switch (mutation, event) {
        case (.droppedReason, .seat(var seat)):
            seat.lockedBy = nil
            return .seat(seat)
        case (.stoppedClock, .tick):
            return nil
        case (.staleClient, .clientVanished(let client)):
            vanished = client
            return event
        default:
            return event
        }
    }

    mutating func corrupt(_ effects: [Effect], of event: Event) -> [Effect] {
        for case .signal(.final(let block), _, _) in effects { lastFinal = block }
        switch mutation {
        case .signalBeforeReply:
            guard case .call = event, let reply = effects.first, effects.count > 1 else { return effects }
            return effects.dropFirst() + [reply]
        case .lostCommit:
            guard case .permission = event else { return effects }
            return effects.filter { if case .signal(.final, _, _) = $0 { false } else { true } }
        case .finalForCancelled:
            guard case .call(_, let client, .cancel) = event else { return effects }
            return effects + effects.compactMap { final(of: $0, to: client.name) }
        default:
            return effects.flatMap { corrupt($0) }
        }
    }

    private func corrupt(_ effect: Effect) -> [Effect] {
        switch (mutation, effect) {
        case (.skippedRelease, .closeCapture), (.lostResume, .signal(.resumed, _, _)),
            (.forgottenInhibitor, .holdSleepInhibitor(false)), (.lostReply, .reply(_, .committed)):
            return []
        case (.doubleFinal, .signal(.final, _, _)):
            return [effect, effect]
        case (.staleClient, .signal(let signal, let session, .clients(let clients))):
            guard let vanished else { return [effect] }
            return [.signal(signal, session, to: .clients(clients + [vanished]))]
        case (
            .textToStranger,
            .signal(.partial(let block, let offset, let stable, let volatile), let session, _)
        ):
            let partial = SessionSignal.partial(block, offset: offset, stable: stable, volatile: volatile)
            return [.signal(partial, session, to: .everyone)]
        case (.shrinkingText, .signal(.final(var block), let session, let audience)):
            block.text = block.text.split(separator: " ").dropLast().joined(separator: " ")
            return [.signal(.final(block), session, to: audience)]
        case (.lostVolatileText, .signal(.partial(let block, let offset, let stable, _), let session, let to)):
            return [.signal(.partial(block, offset: offset, stable: stable, volatile: ""), session, to: to)]
        case (.hastyResume, .openCapture(_, let session, _)):
            return [
                effect,
                .signal(
                    .resumed(.call, EndedInterruption(reasons: [.call], duration: 0)), session,
                    to: .clients([])),
            ]
        case (.secondStream, .openCapture(let id, let session, let target)):
            return [
                effect, .openCapture(CaptureID(rawValue: id.rawValue + 1000), for: session, target: target),
            ]
        case (.skippedBlock, .transcription(let session, .endBlock(let block))):
            return [.transcription(session, .endBlock(block + 1))]
        default:
            return [effect]
        }
    }

    private func final(of effect: Effect, to client: ClientName) -> Effect? {
        guard case .transcription(let session, .discardBlock(let block)) = effect, var final = lastFinal
        else {
            return nil
        }
        final.number = block
        return .signal(.final(final), session, to: .clients([client]))
    }

    func corrupt(_ event: PlaybackMachine.Event) -> PlaybackMachine.Event {
        guard mutation == .playerDuringCall, case .dictation(var activity) = event else { return event }
        activity.blocksPlayback = false
        return .dictation(activity)
    }

    func corrupt(_ effects: [PlaybackMachine.Effect]) -> [PlaybackMachine.Effect] {
        guard mutation == .unpairedPlayer else { return effects }
        return effects.filter { if case .pause = $0 { false } else { true } }
            + effects.compactMap {
                if case .pause(let name, let owner) = $0 { .play(name, owner: owner) } else { nil }
            }
    }
}
