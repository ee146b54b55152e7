import DictationCore
import DictationTestKit
import EventLoop
import Glibc
import Testing

@testable import Wyoming

/// A passage that is sent while it is spoken, to a server of each kind, correct or faulty.
@Suite(.serialized) struct LiveEngineTests {
    private let folder: TemporaryDirectory
    private var place: String { "unix:\(folder.path)/engine.sock" }

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func engine(_ address: String) throws -> WyomingEngine {
        WyomingEngine(
            name: "scripted", address: try #require(WyomingAddress(address)), uid: getuid(),
            mayBeRemote: false)
    }

    @Test(arguments: [
        ("revise", PassageEngineKind.revises), ("append", .appends), ("answer", .wholePassages),
    ])
    func aServerSaysWhenItGivesText(_ mode: String, kind: PassageEngineKind) async throws {
        let server = try await ScriptedEngineServer(at: place, mode: mode)
        let engine = try engine(server.address)
        let description = await withCheckedContinuation { continuation in
            engine.describe { continuation.resume(returning: $0) }
        }
        #expect(try description.get().kind == kind)
    }

    @Test(arguments: ["revise", "append"]) func textComesWhileSomebodySpeaks(_ mode: String) async throws {
        let server = try await ScriptedEngineServer(at: place, mode: mode)
        let passage = try Passage(engine(server.address))
        passage.speak([500, 600, 700])
        try await eventually("the text during speech") { passage.texts.last == "t500 t600" }
        #expect(passage.answer == nil)
        passage.speak([800])
        try await eventually("more text") { passage.texts.last == "t500 t600 t700" }
        passage.stream.finish(within: .seconds(10))
        try await eventually("the final text") { passage.answer != nil }
        #expect(try passage.answer?.get().text == "T500 t600 t700 t800")
        #expect(try passage.answer?.get().language == "en")
        #expect(try passage.answer?.get().isSpeech == true)
    }

    @Test func aRevisingServerTellsWhatIsSettledAndHowFarItIs() async throws {
        let server = try await ScriptedEngineServer(at: place, mode: "revise")
        let passage = try Passage(engine(server.address))
        passage.speak([500, 600, 700])
        try await eventually("the text during speech") { passage.partials.last?.text == "t500 t600" }
        let partial = try #require(passage.partials.last)
        #expect(partial.settled == 4)
        #expect(partial.language == "en")
        #expect(try #require(partial.samples) >= 16_000)
        passage.stream.cancel()
    }

    @Test func severalLanguagesAreSentForDetection() async throws {
        let server = try await ScriptedEngineServer(at: place, mode: "revise")
        let passage = try Passage(engine(server.address), languages: ["en", "de"])
        passage.stream.finish(within: .seconds(10))
        try await server.waitFor("languages en,de")
        try await server.waitFor("transcribe None")
    }

    @Test(arguments: [
        ("revise-close", [EngineFailure.Kind.closed]), ("revise-killed", [.closed]),
        ("revise-garbage", [.malformed]), ("revise-early", [.malformed]), ("revise-long", [.malformed]),
        ("revise-flood", [.malformed]), ("revise-error", [.failed, .closed]),
    ])
    func aFaultDuringSpeechIsReportedAtOnce(_ mode: String, kinds: [EngineFailure.Kind]) async throws {
        let server = try await ScriptedEngineServer(at: place, mode: mode)
        let passage = try Passage(engine(server.address))
        passage.speak([500, 600, 700, 800, 900])
        try await eventually("the fault") { passage.answer != nil }
        let failure = #expect(throws: EngineFailure.self) { try passage.answer?.get() }
        #expect(kinds.contains(try #require(failure).kind), "\(mode): \(failure?.message ?? "")")
        #expect(passage.partials.allSatisfy { $0.text.utf8.count <= TranscriptReader.textLimit })
        // Floods are merged.
        #expect(passage.partials.count < 100)
        server.process.kill()
    }

    @Test func aServerThatTakesNoSoundIsLeft() async throws {
        let server = try await ScriptedEngineServer(at: place, mode: "revise")
        let passage = try Passage(engine(server.address))
        passage.speak([500])
        try await server.waitFor("transcribe")
        try server.process.stop()
        // The socket's buffer takes some seconds.
        for _ in 0..<600 where passage.answer == nil {
            passage.stream.send([Int16](repeating: 100, count: 8000))
            await Task.yield()
        }
        try await eventually("the fault") { passage.answer != nil }
        let failure = #expect(throws: EngineFailure.self) { try passage.answer?.get() }
        #expect(failure?.kind == .tooSlow)
    }

    @Test func aServerThatHangsDoesNotRespondUntilItGoesOn() async throws {
        let server = try await ScriptedEngineServer(at: place, mode: "revise")
        let passage = try Passage(engine(server.address))
        passage.speak([500, 600])
        try await eventually("the text during speech") { passage.texts.last == "t500" }
        // A ping may be behind the audio. One that was never answered tells nothing.
        try await server.waitFor("pong")
        try server.process.stop()
        try await eventually("it does not respond") { passage.responses.last == false }
        server.process.send(SIGCONT)
        try await eventually("it responds") { passage.responses.last == true }
        passage.stream.finish(within: .seconds(60))
        try await eventually("the final text") { passage.answer != nil }
        #expect(try passage.answer?.get().text == "T500 t600")
    }

    @Test func aServerThatNeverAnswersPingsIsNotBlamed() async throws {
        let server = try await ScriptedEngineServer(at: place, mode: "hold")
        let passage = try Passage(engine(server.address))
        passage.speak([500])
        try await server.waitFor("transcribe")
        let start = ContinuousClock.now
        try await eventually("more than the timeout has passed") {
            ContinuousClock.now - start > .milliseconds(600)
        }
        #expect(passage.responses.isEmpty)
        passage.stream.cancel()
    }

    @Test func theTimeoutOfPingsFollowsTheServer() {
        var pongs = PongTimes()
        #expect(pongs.timeout == nil)
        pongs.add(.milliseconds(5))
        #expect(pongs.timeout == .milliseconds(250))
        for _ in 0..<8 { pongs.add(.milliseconds(100)) }
        #expect(pongs.timeout == .milliseconds(400))
        // A long stop does not hide the next.
        for _ in 0..<8 { pongs.add(.milliseconds(5)) }
        pongs.add(.seconds(60))
        #expect(pongs.timeout == .microseconds(267_500))
    }

    @Test func theTimeoutBeginsAtTheEndOfThePassage() async throws {
        let server = try await ScriptedEngineServer(at: place, mode: "revise-hang")
        let passage = try Passage(engine(server.address))
        passage.speak([500, 600, 700, 800, 900])
        try await server.waitFor("partial")
        #expect(passage.answer == nil)
        let start = ContinuousClock.now
        passage.stream.finish(within: .milliseconds(300))
        try await eventually("the timeout") { passage.answer != nil }
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        let failure = #expect(throws: EngineFailure.self) { try passage.answer?.get() }
        #expect(failure?.kind == .tooSlow)
    }

    @Test func cancellingClosesTheConnection() async throws {
        let server = try await ScriptedEngineServer(at: place, mode: "revise")
        let passage = try Passage(engine(server.address))
        passage.speak([500])
        try await server.waitFor("transcribe")
        passage.stream.cancel()
        try await server.waitFor("gone")
        #expect(try await server.count(of: "audio") == 0)
    }
}

/// A passage at an engine, and what came back.
private final class Passage: Sendable {
    private struct Received: Sendable {
        var partials: [PassagePartial] = []
        var responses: [Bool] = []
        var answer: Result<PassageAnswer, EngineFailure>?
    }

    private final class Events: Sendable {
        let received = Lock(Received())
    }

    let stream: any PassageStream
    private let events: Events

    init(_ engine: WyomingEngine, languages: [String] = ["en"]) {
        let events = Events()
        self.events = events
        stream = engine.open(PassageOptions(languages: languages, wantsPartials: true)) { event in
            events.received.withLock { received in
                switch event {
                case .partial(let partial): received.partials.append(partial)
                case .responds(let responds): received.responses.append(responds)
                case .final(let answer): received.answer = answer
                }
            }
        }
    }

    var partials: [PassagePartial] { events.received.withLock { $0.partials } }
    var texts: [String] { partials.map(\.text) }
    var responses: [Bool] { events.received.withLock { $0.responses } }
    var answer: Result<PassageAnswer, EngineFailure>? { events.received.withLock { $0.answer } }

    /// Tones of a quarter of a second, each followed by as much silence, in messages of 0.1 s.
    func speak(_ tones: [Int]) {
        for tone in tones {
            let samples = (0..<8000).map { index in
                index < 4000 ? Int16(8000 * sin(2 * .pi * Double(tone) * Double(index) / 16000)) : 0
            }
            for start in stride(from: 0, to: samples.count, by: 1600) {
                stream.send(Array(samples[start..<min(start + 1600, samples.count)]))
            }
        }
    }
}
