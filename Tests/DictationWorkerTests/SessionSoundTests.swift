import DictationCore
import DictationTestKit
import EventLoop
import Recognition
import Testing

@testable import DictationBus
@testable import DictationWorker

@Suite struct SessionSoundTests {
    /// Its events are queued on the loop when it is replaced.
    @EventLoopActor
    @Test func eventsOfAReplacedRecogniserAreDropped() async throws {
        let catalog = EngineCatalog(engines: [ScriptedEngine()])
        let request = TranscriptionRequest(engine: "scripted", language: "en-US")
        let sound = SessionSound()
        let ended = Lock<[BlockNumber]>([])
        for block: BlockNumber in [1, 2] {
            sound.recognise(
                by: { (events) throws(RecognitionError) in
                    try catalog.open(request, from: block, events: events)
                },
                events: { event in
                    if case .blockEnded(let block, _) = event { ended.withLock { $0.append(block) } }
                })
            // An empty block ends at once.
            sound.transcription?.endBlock(block)
        }
        try await eventually("the second recogniser's block ends") { ended.withLock { $0.contains(2) } }
        #expect(ended.withLock { $0 } == [2])
        sound.close()
    }
}
