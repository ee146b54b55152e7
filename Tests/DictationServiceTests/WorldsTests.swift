import DBus
import DictationCore
import DictationTestKit
import EventLoop
import Logging
import Recognition
import Testing

@testable import DictationService

/// How many users and sessions one service takes. A world without users and a session that waits for a microphone are
/// real ones.
@Suite struct WorldsTests {
    @Test func servesNoMoreUsersThanTheLimit() async throws {
        try await withWorlds { worlds in
            for uid in UInt32(1)...64 { _ = try worlds.world(of: uid) }
            let refusal = #expect(throws: Refusal.self) { try worlds.world(of: 65) }
            #expect(refusal?.kind == .limitExceeded)
            #expect(worlds[65] == nil)
            #expect(try worlds.world(of: 64).uid == 64, "those that are served still are")
        }
    }

    @Test func runsNoMoreSessionsThanTheLimit() async throws {
        try await withWorlds { worlds in
            var count = 0
            for uid in UInt32(1)...8 {
                let world = try worlds.world(of: uid)
                while world.sessionCount < 32 {
                    #expect(worlds.refusalOfSessions == nil, "\(count) sessions")
                    count += 1
                    start(UInt64(count), in: world)
                    #expect(worlds.sessionCount == count)
                }
            }
            #expect(count == 256)
            #expect(worlds.refusalOfSessions?.kind == .limitExceeded)
            // One that ends makes room for one.
            let world = try worlds.world(of: 3)
            world.post(.clientVanished(client(65, of: 3).name))
            #expect(worlds.refusalOfSessions == nil)
            start(257, in: world)
            #expect(worlds.refusalOfSessions?.kind == .limitExceeded)
        }
    }

    @Test func servesNoFurtherUserWhileItEnds() async throws {
        try await withWorlds { worlds in
            let world = try worlds.world(of: 1)
            await worlds.shutDown()
            let refusal = #expect(throws: Refusal.self) { try worlds.world(of: 2) }
            #expect(refusal?.kind == .cancelled)
            #expect(try worlds.world(of: 1) === world)
        }
    }

    @EventLoopActor
    private func start(_ number: UInt64, in world: UserWorld) {
        let client = client(number, of: world.uid)
        world.post(.permission(client.identity, Permission(microphone: .granted, speech: .granted)))
        let options = StartOptions(
            transcription: TranscriptionRequest(engine: "scripted", language: "en-US"))
        world.post(
            .call(CallID(rawValue: number), from: client, .start(SessionID(rawValue: number), options)))
    }

    private func client(_ number: UInt64, of uid: UInt32) -> Client {
        Client(
            name: ClientName(":1.\(number)"),
            identity: Identity(uid: uid, kind: .executable, id: "/usr/bin/program"))
    }

    /// Worlds that are always needed, of users whose desktops have nothing to lend.
    @EventLoopActor
    private func withWorlds(_ body: @EventLoopActor (Worlds) async throws -> Void) async throws {
        let bus = try await PrivateBus()
        let connection = try await Connection(to: .custom(bus.address))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let messageSender = MessageSender(
            connection: connection, isOfOneUser: false, budgets: Budgets(), logger: logger)
        let engines = EngineCatalog(engines: [ScriptedEngine()])
        let worlds = Worlds(
            isNeeded: { _ in true },
            make: { uid, becameIdle in
                UserWorld(
                    uid: uid, settings: Settings(), engines: engines,
                    desktop: BareDesktop { throw TestFailure("there is no audio server") },
                    routes: RouteChoices(), storeRoutes: { _ in nil }, messageSender: messageSender,
                    logger: logger,
                    becameIdle: becameIdle)
            })
        var failure: (any Error)?
        do {
            try await body(worlds)
        } catch {
            failure = error
        }
        await worlds.abandon()
        await connection.close()
        if let failure { throw failure }
    }
}
