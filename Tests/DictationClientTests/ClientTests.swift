import DBus
import DictationInterface
import DictationTestKit
import EventLoop
import ScriptedService
import Testing

@testable import DictationClient

@Suite struct ClientTests {
    private struct Stage {
        let bus: PrivateBus
        let service: ScriptedService
        let client: DictationClient

        init() async throws {
            bus = try await PrivateBus()
            service = try await ScriptedService(at: bus.address)
            client = try await DictationClient(bus: .address(bus.address))
        }

        func strike() async {
            await client.close()
            await service.vanish()
        }
    }

    @Test func receivesASessionsEventsInOrder() async throws {
        let stage = try await Stage()
        await stage.service.hear("hello world")
        let session = try await stage.client.start()
        try await stage.service.emit(
            .partial(
                session: session.id, block: 1, offset: 0, stable: "hello ", volatile: "word", details: [:]))
        let final = try await session.commit()
        try await session.stop()

        #expect(final.text == "hello world")
        #expect(final.words == [Word("hello world", start: 0.25, end: 0.5, confidence: 0.75)])
        var events: [DictationEvent] = []
        for try await event in session.events { events.append(event) }
        #expect(
            events == [
                .stateChanged(StateChange(state: .listening, cause: "started")),
                .partial(PartialText(block: 1, offset: 0, stable: "hello ", volatile: "word")),
                .final(final),
                .stopped(.stopped),
            ])
        await stage.strike()
    }

    /// A Stop that overtakes a Commit discards its text.
    @Test func callsOfTasksAreSentInTheOrderInWhichTheyBegin() async throws {
        let stage = try await Stage()
        let session = try await stage.client.start()
        for _ in 0..<500 {
            let commit = Task.immediate { _ = try? await session.commit() }
            let pause = Task.immediate { try? await session.pause() }
            await commit.value
            await pause.value
        }
        let methods = await stage.service.requests.map(\.method)
        #expect(methods == [.start] + [[DictationMethod]](repeating: [.commit, .pause], count: 500).joined())
        await stage.strike()
    }

    @Test func sendsTheGivenOptionsOnly() async throws {
        let stage = try await Stage()
        var options = StartOptions()
        options.lingers = true
        options.autoCommit = .milliseconds(1500)
        options.segmentLimit = .seconds(30)
        options.vocabulary = [.init("Grünkohl"), .init("Debian", pronunciation: "D EH B IY AH N")]
        options.route = "mic"
        _ = try await stage.client.start(options)
        let given = try #require(await stage.service.session).options
        #expect(
            given == [
                "linger": Value(true), "auto-commit": Value(UInt32(1500)),
                "speech-seconds": Value(UInt32(30)),
                "route": Value("mic"),
                "vocabulary": .array(
                    [
                        .structure([Value("Grünkohl"), Value("")]),
                        .structure([Value("Debian"), Value("D EH B IY AH N")]),
                    ], of: "(ss)"),
            ])
        await stage.strike()
    }

    @Test func passesAndTellsOfARecording() async throws {
        let stage = try await Stage()
        let pipe = try Descriptor.pipe()
        var options = StartOptions()
        options.record = pipe.writing
        options.quality = .low
        options.recordedSegment = .seconds(60)
        options.keepsCancelled = true
        options.sendsWaveform = true
        _ = try await stage.client.start(options)
        var given = try #require(await stage.service.session).options
        #expect(given.removeValue(forKey: "record").flatMap(Descriptor.init) != nil)
        #expect(
            given == [
                "quality": Value("low"), "segment-seconds": Value(UInt32(60)), "keep-cancelled": Value(true),
                "levels": Value("waveform"),
            ])
        await stage.strike()

        let gaps = Value.array(
            [.structure([.double(1), .double(2.5), .string("paused")])], of: "(dds)")
        let recorded = SessionEvent(
            .segmentRecorded(
                session: 1, name: "a.wav", start: 30, duration: 12,
                details: ["block": .uint64(2), "gaps": gaps]))
        guard case .segmentRecorded(let segment) = recorded.event else {
            throw TestFailure("\(recorded)")
        }
        #expect(segment.block == 2)
        #expect(segment.gaps == [.init(position: 1, duration: 2.5, reason: "paused")])
        // Of a type that this library does not know.
        let later = RecordedSegment(
            name: "", start: 0, duration: 1, details: ["gaps": .array([.structure([.double(1)])], of: "(d)")])
        #expect(later.gaps == [])
        let final = Final(
            block: 2, text: "", details: ["recorded": .structure([.double(30), .double(12)])])
        #expect(final.recorded == 30..<42)
        let level = SessionEvent(
            .level(
                session: 1, rmsDbfs: -20, peakDbfs: -10,
                details: [
                    "waveform": .array(
                        [.structure([.double(-1), .double(1)]), .structure([.double(1), .double(-1)])],
                        of: "(dd)")
                ]))
        #expect(level.event == .level(Level(rms: -20, peak: -10, waveform: [-1...1])))
    }

    @Test func passesTheDescriptorOfAnInput() async throws {
        let stage = try await Stage()
        let pipe = try Descriptor.pipe()
        var options = StartOptions()
        options.input = pipe.reading
        _ = try await stage.client.start(options)
        let session = try #require(await stage.service.session)
        let descriptor = try #require(session.options["input"].flatMap(Descriptor.init))
        #expect(descriptor.rawValue != pipe.reading.rawValue)
        await stage.strike()
    }

    @Test func aRefusalHasCodeNameAndMessage() async throws {
        let stage = try await Stage()
        await stage.service.refuse(.start, .engineUnavailable, "Install pocketsphinx-en-us.")
        let error = await #expect(throws: DictationError.self) { try await stage.client.start() }
        #expect(error?.code == .engineUnavailable)
        #expect(error?.name == "org.example.Dictation.Error.EngineUnavailable")
        #expect("\(error as Any)".contains("Install pocketsphinx-en-us."))
        let other = await #expect(throws: DictationError.self) { try await stage.client.commit() }
        #expect(other?.code == .notRunning)
        await stage.strike()
    }

    @Test func returnsTypedValues() async throws {
        let stage = try await Stage()
        #expect(try await stage.client.status().state == .idle)
        await stage.service.offer([
            ["name": Value("mic"), "muted": Value(true)], ["description": Value("nameless")],
        ])
        let routes = try await stage.client.routes()
        #expect(routes.map(\.title) == ["mic"])
        #expect(routes.first?.isMuted == true)
        try await stage.client.selectRoute(named: "mic")
        try await stage.client.selectRoute(named: nil)
        await #expect(throws: DictationError.self) { try await stage.client.selectRoute(named: "other") }

        _ = try await stage.client.start()
        let status = try await stage.client.status()
        #expect(status.session == 1)
        #expect(status.finals == [Final(block: 1, text: "before")])
        #expect(status.isOwner)
        await stage.service.decide("not-determined")
        let permission = try await stage.client.checkPermission()
        #expect(permission[.microphone] == .granted)
        #expect(permission.speech == .notDetermined)
        #expect(!permission.isReady)
        #expect(try await stage.client.requestPermission(for: [.speech]) == [.speech: .granted])
        let information = try await stage.client.information()
        #expect(information.engines.map(\.name) == ["scripted"])
        #expect(information.languages == ["en-US"])
        await stage.strike()
    }

    @Test func continuesWithTheNextService() async throws {
        let stage = try await Stage()
        let all = await stage.client.events
        try await stage.client.subscribe(text: true)
        let session = try await stage.client.start()
        await stage.service.vanish()
        let error = await #expect(throws: DictationError.self) {
            for try await _ in session.events {}
        }
        #expect(error?.code == .serviceVanished)

        let next = try await ScriptedService(at: stage.bus.address)
        var events: [DictationEvent] = []
        for try await event in all {
            events.append(event.event)
            if event.event == .serviceAppeared { break }
        }
        #expect(events.suffix(2) == [.serviceVanished, .serviceAppeared])
        #expect(await Array(next.subscribers.values) == [["text": Value(true)]])
        #expect(try await stage.client.start().id == 1)
        await next.vanish()
        await stage.strike()
    }

    /// The service was about to exit when Start arrived, and took its name back.
    @Test func followsASessionOfAServiceThatLeftAndCameBack() async throws {
        let stage = try await Stage()
        await stage.service.leaveUnanswered(.start)
        let starting = Task { try await stage.client.start() }
        try await eventually("Start arrived") { await stage.service.unansweredCount == 1 }
        try await stage.service.releaseName()
        try await stage.service.requestName()
        await stage.service.answerAll()
        let session = try await starting.value
        try await session.stop()
        var events: [DictationEvent] = []
        for try await event in session.events { events.append(event) }
        #expect(
            events == [.stateChanged(StateChange(state: .listening, cause: "started")), .stopped(.stopped)])
        await stage.strike()
    }

    @Test func followsASessionOfTheNextService() async throws {
        let stage = try await Stage()
        try await stage.client.subscribe()
        let queue = await stage.client.receiver.queue(for: .sessionToCome)
        // A session of another program, with the number that the next service uses.
        try await stage.service.emit(.stopped(session: 1, reason: "stopped", details: [:]))
        try await eventually("the signal came") { queue.holdsEnd }
        await stage.service.vanish()
        let next = try await ScriptedService(at: stage.bus.address)
        let session = try await stage.client.proxy.start(options: [:])
        await stage.client.receiver.name(queue, session)
        try await next.end("stopped")
        #expect(
            try await queue.next()?.event == .stateChanged(StateChange(state: .listening, cause: "started"))
        )
        #expect(try await queue.next()?.event == .stopped(.stopped))
        #expect(try await queue.next() == nil)
        await next.vanish()
        await stage.client.close()
    }

    @Test func endsASessionThatDidNotOutliveTheReplyToStart() async throws {
        let stage = try await Stage()
        let queue = await stage.client.receiver.queue(for: .sessionToCome)
        let session = try await stage.client.proxy.start(options: [:])
        let all = await stage.client.events
        await stage.service.vanish()
        let next = try await ScriptedService(at: stage.bus.address)
        for try await event in all where event.event == .serviceAppeared { break }
        await stage.client.receiver.name(queue, session)
        let error = await #expect(throws: DictationError.self) { while try await queue.next() != nil {} }
        #expect(error?.code == .serviceVanished)
        await next.vanish()
        await stage.client.close()
    }

    @Test func eventsAskedForAfterTheCloseEndAtOnce() async throws {
        let stage = try await Stage()
        await stage.client.close()
        for try await _ in await stage.client.events {}
        await stage.service.vanish()
    }

    @Test func reportsAMissingService() async throws {
        let bus = try await PrivateBus()
        let client = try await DictationClient(bus: .address(bus.address))
        let error = await #expect(throws: DictationError.self) { try await client.start() }
        #expect(error?.code == .serviceUnavailable)
        await client.close()
    }

    @Test func reportsAMissingBus() async throws {
        let folder = try TemporaryDirectory()
        let error = await #expect(throws: DictationError.self) {
            try await DictationClient(bus: .address("unix:path=\(folder.path(of: "nothing"))"))
        }
        #expect(error?.code == .disconnected)
    }

    @Test func losingTheBusEndsAllSequences() async throws {
        let stage = try await Stage()
        let session = try await stage.client.start()
        let all = await stage.client.events
        try await stage.bus.kill()
        for events in [0, 1] {
            let error = await #expect(throws: DictationError.self) {
                if events == 0 { for try await _ in session.events {} } else { for try await _ in all {} }
            }
            #expect(error?.code == .disconnected)
        }
        let error = await #expect(throws: DictationError.self) { try await session.commit() }
        #expect(error?.code == .disconnected)
        await stage.client.close()
    }

    @Test func anEndedSessionDoesNotControlTheNext() async throws {
        let stage = try await Stage()
        let first = try await stage.client.start()
        try await first.stop()
        let second = try await stage.client.start()
        let error = await #expect(throws: DictationError.self) { try await first.stop() }
        #expect(error?.code == .notRunning)
        try await second.stop()
        await stage.strike()
    }

    @Test func callsArriveInOrder() async throws {
        let stage = try await Stage()
        let session = try await stage.client.start()
        let calls = (0..<100).map { number in
            Task.immediate {
                if number.isMultiple(of: 2) { try await session.pause() } else { try await session.resume() }
            }
        }
        for call in calls { try await call.value }
        let methods = await stage.service.requests.map(\.method)
        #expect(methods == [.start] + (0..<100).map { $0.isMultiple(of: 2) ? .pause : .resume })
        await stage.strike()
    }

    @Test func aReleasedClientDisconnects() async throws {
        let bus = try await PrivateBus()
        let service = try await ScriptedService(at: bus.address)
        do {
            let client = try await DictationClient(bus: .address(bus.address))
            try await client.subscribe()
        }
        let observer = try await Connection(to: .custom(bus.address))
        let name = try #require(await service.subscribers.keys.first)
        try await eventually("the client has left the bus") { try await observer.owner(of: name) == nil }
        await observer.close()
        await service.vanish()
    }

    @Test func aCancelledReaderGetsTheEnd() async throws {
        let stage = try await Stage()
        let events = await stage.client.events
        let reader = Task { for try await _ in events {} }
        reader.cancel()
        try await reader.value
        await stage.strike()
    }
}
