import DictationBus
import DictationCore
import EventLoop
import JournalFiles
import Recognition

// What is uncommitted, for the service after a crash.

extension UserDictation {
    /// Keeps what is uncommitted of a session that begins with the next event.
    func keep(_ journal: SessionJournal?, of session: SessionID) { journals[session] = journal }

    /// See ``JournalLog/setField(_:of:)``.
    func setField(_ field: String, of block: BlockNumber, in session: SessionID) {
        (journals[session] ?? sounds[session]?.journal)?.setField(field, of: block)
    }

    /// Why a session may not return now; nil if it may.
    func refusal(ofRestoring session: RestoredSession) -> Refusal? {
        machine.refusal(ofRestoring: session)
    }

    /// A session returns. Its sound is recognised. See ``refusal(ofRestoring:)``.
    /// - Parameter commitsBlock: its block ends with that sound.
    func restore(
        _ session: RestoredSession, _ sound: [JournalContents.Stretch], _ journal: SessionJournal,
        commitsBlock: Bool
    ) {
        journals[session.id] = journal
        post(.restore(session))
        let transcription = sounds[session.id]?.transcription
        for stretch in sound { transcription?.restore(stretch.samples) }
        if commitsBlock { post(.commitRestored(session.id)) }
        guard transcription != nil else { return }
        // Behind the events of the detector.
        EventLoopActor.execute { journal.restoredSoundWasHeard() }
    }

    func updateJournals(after event: Event) {
        switch event {
        case .captured, .level, .recording: return
        case .recognition(let session, let recognised):
            sounds[session]?.journal?.follow(machine.uncommitted(of: session), after: recognised)
        case .seat:
            updateJournals()
            // The computer may have slept, which the timers do not count.
            for sound in sounds.values { sound.journal?.confirm() }
        default: updateJournals()
        }
    }

    func updateJournals(except left: [SessionID] = []) {
        for (session, sound) in sounds where !left.contains(session) {
            sound.journal?.follow(machine.uncommitted(of: session))
        }
    }
}
