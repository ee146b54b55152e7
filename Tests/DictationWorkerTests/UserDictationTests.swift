import DBus
import DictationCore
import DictationTestKit
import Dispatch
import EventLoop
import Logging
import Recognition
import Testing

@testable import DictationBus
@testable import DictationWorker

/// A user's world with a real audio server.
@Suite struct UserDictationTests {
    /// Where the event loop is late, samples come before the timer. A level is then told while a timeout is due, which
    /// closes the stream, and that delivers more samples to the level meter.
    @Test func aTimeoutThatIsDueWhenALevelIsToldClosesTheStream() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("microphone", of: pipewire, pace: .spoken)
        let bus = try await PrivateBus()
        let connection = try await Connection(to: .custom(bus.address))
        let world = await makeWorld(connection) { try pipewire.connect() }
        await world.begin()
        let client = Client(
            name: ClientName(":1.1"), identity: Identity(uid: 1000, kind: .executable, id: "/usr/bin/program")
        )
        await world.post(.permission(client.identity, Permission(microphone: .granted, speech: .granted)))
        var options = StartOptions(
            transcription: TranscriptionRequest(engine: "scripted", language: "en-US"))
        options.lingers = true
        options.sendsLevels = true
        await world.post(
            .call(CallID(rawValue: 1), from: client, .start(SessionID(rawValue: 1), options)))
        try await eventually("it listens") {
            // Every call counts as use.
            await world.post(.call(CallID(rawValue: 2), from: client, .resume))
            return await world.properties.state == .listening
        }
        let start = ContinuousClock.now
        let release = DispatchSemaphore(value: 0)
        EventLoopActor.execute { release.wait() }
        try await eventually("the timeout is due") { start.duration(to: .now) > Self.idlePause * 1.2 }
        release.signal()
        try await eventually("it is paused") { await world.properties.state == .paused }
        #expect(await !world.properties.isInUse)
        await world.abandon()
        await connection.close()
        microphone.unplug()
    }

    private static let idlePause = Duration.seconds(1)

    @EventLoopActor
    private func makeWorld(
        _ connection: Connection, audio: @escaping @Sendable () async throws -> Descriptor
    ) -> UserDictation {
        var settings = Settings()
        settings.idlePause = Self.idlePause
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return UserDictation(
            uid: 1000, settings: settings, engines: EngineCatalog(engines: [ScriptedEngine()]),
            desktop: BareDesktop(connect: audio), routes: RouteChoices(), storeRoutes: { _ in nil },
            messageSender: MessageSender(connection, isOfOneUser: false, logger: logger) { _, _ in },
            logger: logger)
    }
}
