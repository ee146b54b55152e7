import DBus
import Desktop
import DictationCore
import DictationTestKit
import EventLoop
import Glibc
import Testing

@Suite struct LocalDesktopSessionTests {
    /// The last facts of a session.
    private struct Told {
        var seat: SeatFacts?
        var appearances = 0
        var troubles: [DesktopError.Code] = []
    }

    @Test func publishesFactsAndLendsResources() async throws {
        let bus = try await PrivateBus()
        let connection = try await Connection(to: .custom(bus.address))
        let logind = try await MockLogind(on: bus.address, by: connection)
        try await logind.addSession("c1", of: 1000)
        let music = try await MockPlayer("music", "Playing", on: bus.address, by: connection)
        let desktop = await LocalDesktopSession(
            of: 1000, on: connection, absence: .present, systemBus: .custom(bus.address),
            environment: ["XDG_RUNTIME_DIR": bus.directory.path], playerTimeout: timeout)

        let told = Lock(Told())
        EventLoopActor.execute {
            desktop.begin { event in
                told.withLock { told in
                    switch event {
                    case .seat(let facts): told.seat = facts
                    case .audioServerAppeared: told.appearances += 1
                    case .trouble(let error): told.troubles.append(error.code)
                    }
                }
            }
        }
        try await eventually("the seat is told") { told.withLock { $0.seat == .present } }
        try await eventually("sleep is delayed") { try await logind.inhibitors().count == 1 }

        EventLoopActor.execute {
            desktop.delaySleep(false)
            desktop.follow(DictationActivity(isListening: true, wantsToListen: true))
        }
        try await eventually("it is done") {
            let isAllowed = try await logind.inhibitors().isEmpty
            return try await music.status() == "Paused" && isAllowed
        }
        #expect(throws: EventLoopError.self) { try desktop.openPipeWireRemote() }
        try bus.directory.write("", to: "pipewire-1")
        #expect(told.withLock { $0.appearances } == 0)
        try bus.directory.write("", to: "pipewire-0")
        try await eventually("the socket is noticed") { told.withLock { $0.appearances == 1 } }
        #expect(await failure { try await desktop.ask(PromptTests.prompt) } == .noPrompter)

        await desktop.end()
        try await music.set("Playing")
        try await logind.setLockedHint(true, "c1")
        #expect(told.withLock { $0.seat == .present })
        #expect(told.withLock { $0.troubles.isEmpty })
        await connection.close()
    }

    /// A computer without rtkit, and a user without the right to real-time priority.
    @Test func reportsARefusedPriorityOnTheLoop() async throws {
        let bus = try await PrivateBus()
        let connection = try await Connection(to: .custom(bus.address))
        let desktop = await LocalDesktopSession(
            of: 1000, on: connection, absence: .present, systemBus: .custom(bus.address),
            environment: ["XDG_RUNTIME_DIR": bus.directory.path])
        // The request lowers this limit; it is restored for later tests.
        let resource = __rlimit_resource_t(__RLIMIT_RTTIME.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        defer { setrlimit(resource, &limit) }

        let refusals = Lock<[Bool]>([])
        EventLoopActor.execute {
            desktop.begin { event in
                guard case .trouble(let error) = event, error.code == .noRealTime else { return }
                refusals.withLock { $0.append(EventLoopActor.loop.isCurrent) }
            }
            // Even root cannot set the priority of a thread that does not exist.
            desktop.prioritize(thread: .max)
        }
        try await eventually("the refusal is told") { refusals.withLock { !$0.isEmpty } }
        #expect(refusals.withLock { $0 } == [true])
        await desktop.end()
        await connection.close()
    }
}
