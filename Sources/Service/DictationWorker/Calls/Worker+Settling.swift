import DBus
import DictationBus
import DictationCore
import DictationInterface
import Logging

// The settings of a session that types depend on the window that has the focus. The session listens before that is known.

extension Worker {
    /// Finds the way into the window, and settles the options of a session that has begun. Its sound waits for that.
    /// - Parameters:
    ///   - begun: the options that it has begun with.
    ///   - called: Start's options.
    func settle(
        _ session: SessionID, _ begun: StartOptions, _ called: [BusText: Value], of client: Client,
        _ typing: SessionTyping
    ) {
        Task {
            do throws(Refusal) {
                try await self.typing.open(typing)
                var options = typing.complete(called)
                if let language = try await layoutLanguage(options, from: client, on: typing.environment) {
                    options[StartOption.language] = .string(BusText(language))
                }
                let prepared = try preparation(options, from: client)
                var start = prepared.isNeeded ? try await run(prepared) : prepared.start
                start.outlastsConnection = begun.outlastsConnection
                start.transcription.isRecorded = begun.transcription.isRecorded
                start.transcription.inputWaits = begun.transcription.inputWaits
                guard dictation.hasSession(session), typing.end == nil else { return }
                keepJournal(of: session, start, options, client)
                typing.begin(start)
                dictation.post(.settled(session, start))
                logger.debug("a session types", metadata: ["route": "\(typing.route)"])
            } catch {
                dictation.post(.notSettled(session, error))
            }
        }
    }

    /// What is not committed of a session is kept from the opening of its recogniser on.
    func keepJournal(
        of session: SessionID, _ start: StartOptions, _ called: [BusText: Value], _ client: Client
    ) {
        let journal = JournalSession(session, of: client, start, called, bus: journals.bus)
            .map { journals.journal(of: $0) }
        dictation.keep(journal, of: session)
    }
}
