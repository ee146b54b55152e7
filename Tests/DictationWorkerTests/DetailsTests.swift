import DBus
import DictationCore
import DictationInterface
import Testing

@testable import DictationBus
@testable import DictationWorker

@Suite struct DetailsTests {
    @Test func unknownConfidenceIsNaN() throws {
        var machine = DictationMachine(world: World(seat: .present), settings: Settings())
        let client = Client(
            name: ClientName(":1.1"), identity: Identity(uid: 1000, kind: .executable, id: "/bin/editor"))
        let session = SessionID(rawValue: 1)
        var options = StartOptions(transcription: TranscriptionRequest(engine: "fake", language: "en-US"))
        options.hasInput = true
        var effects: [Effect] = []
        let words = [Word("known", start: 0, end: 1, confidence: 0.5), Word("unknown", start: 1, end: 2)]
        for event in [
            Event.permission(client.identity, .granted),
            .call(CallID(rawValue: 1), from: client, .start(session, options)),
            .recognition(session, .segment(1, Segment(text: "known unknown", words: words))),
            .call(CallID(rawValue: 2), from: client, .commit),
            .recognition(session, .blockEnded(1, duration: 2)),
        ] {
            effects += machine.handle(event, at: Moment(awake: .zero, elapsed: .zero))
        }
        let finals = effects.compactMap { effect in
            if case .signal(.final(let block), _, _) = effect { block } else { nil }
        }
        let details = try #require(finals.first).details
        guard case .array(let told, _) = details[FinalKey.words] else {
            Issue.record("no words: \(details)")
            return
        }
        let confidences = told.compactMap { word in
            if case .structure(let fields) = word { Double(fields[3]) } else { nil }
        }
        #expect(confidences.count == 2)
        #expect(confidences.first == 0.5)
        #expect(confidences.last?.isNaN == true)
        #expect(details[FinalKey.confidence] == .double(0.5))
    }
}
