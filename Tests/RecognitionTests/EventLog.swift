import DictationCore
import EventLoop
import Foundation
import Synchronization

@testable import Recognition

/// Records the events of a transcription, and waits for more.
final class EventLog: Sendable {
    private let events = Mutex<[RecognitionEvent]>([])
    private let wakeSignal = WakeSignal()

    var all: [RecognitionEvent] { events.withLock { $0 } }

    func add(_ event: RecognitionEvent) {
        events.withLock { $0.append(event) }
        wakeSignal.send()
    }

    /// Waits until the condition holds for the events so far.
    func wait(upTo timeout: Duration = .seconds(60), until condition: ([RecognitionEvent]) -> Bool) -> Bool {
        let deadline = ContinuousClock.now + timeout
        while !condition(all) {
            guard ContinuousClock.now < deadline else { return false }
            wakeSignal.wait(within: 1)
        }
        return true
    }

    /// The first events. A session may have to wait for another test's decoder first.
    func waitForAnswer() -> RecognitionEvent? {
        _ = wait { $0.contains { $0 != .queued } }
        return all.first { $0 != .queued }
    }

    func waitForEnd(of block: BlockNumber) -> Bool {
        wait { events in events.contains { if case .blockEnded(block, _) = $0 { true } else { false } } }
    }

    func segments(of block: BlockNumber) -> [Segment] {
        all.compactMap { if case .segment(block, let segment) = $0 { segment } else { nil } }
    }

    func text(of block: BlockNumber) -> String {
        segments(of: block).map(\.text).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The ends of blocks, in order, with their durations.
    var ends: [(block: BlockNumber, duration: Double)] {
        all.compactMap {
            if case .blockEnded(let block, let duration) = $0 { (block, duration) } else { nil }
        }
    }
}

extension RecognitionEvent {
    /// The block it belongs to.
    var block: BlockNumber? {
        switch self {
        case .speechBegan(let block, _), .speechEnded(let block, _), .hypothesis(let block, _),
            .live(let block, _),
            .segment(let block, _), .blockEnded(let block, _), .segmentFailed(let block, _),
            .preview(let block, _), .passage(let block, _), .passageLost(let block, _, _),
            .silenceReached(let block), .overrun(let block, _), .noise(let block):
            block
        case .ready, .queued, .engineLost, .lag, .finalEngineFailed:
            nil
        }
    }
}

extension EngineCatalog {
    static func scripted(_ failures: ScriptedEngine.Failures = .init(), loadSeconds: Double = 0)
        -> EngineCatalog
    {
        EngineCatalog(engines: [ScriptedEngine(failures: failures, loadSeconds: loadSeconds)])
    }

    /// A transcription by the first engine.
    func open(
        into log: EventLog, segmentLimit: Duration = .seconds(20), isRecorded: Bool = false
    ) -> Transcription {
        var request = TranscriptionRequest(
            engine: entries[0].name, language: "en-US", isRecorded: isRecorded)
        request.segmentLimit = segmentLimit
        return open(request, into: log)
    }

    /// A transcription by an engine that is available.
    func open(_ request: TranscriptionRequest, into log: EventLog) -> Transcription {
        do throws(RecognitionError) {
            return try open(request) { log.add($0) }
        } catch {
            preconditionFailure("the engine is not available: \(error)")
        }
    }
}

/// The events of an input.
final class InputLog: Sendable {
    private let events = Mutex<[AudioInput.Event]>([])
    private let wakeSignal = WakeSignal()

    func add(_ event: AudioInput.Event) {
        events.withLock { $0.append(event) }
        wakeSignal.send()
    }

    func wait(until condition: ([AudioInput.Event]) -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition(events.withLock { $0 }) {
            guard ContinuousClock.now < deadline else { return false }
            wakeSignal.wait(within: 1)
        }
        return true
    }
}

/// Waits up to a minute.
func waitUntil(_ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    let wakeSignal = WakeSignal()
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        wakeSignal.wait(within: 0.005)
    }
    return true
}
