import DictationBus
import DictationCore
import EventLoop
import Recognition

// Files and pipes that are recognised instead of the microphone, and sound that waits.

extension UserDictation {
    /// The session that begins next has options that are settled later: its sound waits for them.
    func awaitSettling(of session: SessionID) {
        let sound = sounds[session] ?? SessionSound()
        sounds[session] = sound
        sound.waiting = WaitingSound()
    }

    /// Keeps the file or pipe for a session that begins after the check.
    /// - Parameters:
    ///   - lease: ends when the file is no longer read.
    ///   - examined: called once, with whether it is a recording, or with why it is refused; not called after
    ///     ``dropUnusedInput(of:)``.
    func examineInput(
        _ file: Descriptor, for session: SessionID, lease: Budgets.Lease,
        _ examined: @escaping @EventLoopActor (Result<Bool, Refusal>) -> Void
    ) throws(Refusal) {
        do throws(RecognitionError) {
            let input = try AudioInput(file) { [weak self, lease] event in
                EventLoopActor.execute { [weak self] in
                    _ = lease
                    self?.handle(event, of: session, examined)
                }
            }
            sounds[session] = SessionSound(input: input)
        } catch {
            throw Refusal(error)
        }
    }

    private func handle(
        _ event: AudioInput.Event, of session: SessionID,
        _ examined: @EventLoopActor (Result<Bool, Refusal>) -> Void
    ) {
        switch event {
        case .accepted(let isRecorded): if sounds[session] != nil { examined(.success(isRecorded)) }
        case .refused(let error): if sounds[session] != nil { examined(.failure(Refusal(error))) }
        case .read(let frames, let measures): post(.captured(session, frames: frames, measures))
        case .ended: post(.inputEnded(session))
        case .failed(let error): post(.inputFailed(session, Refusal(error)))
        }
    }
}
