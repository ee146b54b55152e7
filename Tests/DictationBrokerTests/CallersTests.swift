import ClientIdentity
import DBus
import DictationCore
import DictationTestKit
import EventLoop
import Glibc
import Logging
import Testing

@testable import DictationBroker
@testable import DictationBus

/// Connections of a real bus.
@Suite struct CallersTests {
    /// As without a worker.
    private struct UnableIdentifier: Identifier {
        func identify(
            _ credentials: BusCredentials,
            confirm: @escaping @Sendable () async throws -> (uid: UInt32, pid: UInt32)
        ) async -> Identification {
            .failed(.init(uid: credentials.uid, reason: "nobody knows it", isConfined: false), .worker)
        }
    }

    /// A program that was not identified may have a session, which ends with its connection.
    @EventLoopActor @Test func aKnownCallerIsKeptIfTheBusDoesNotSayMore() async throws {
        let bus = try await PrivateBus()
        let service = try await Connection(to: .custom(bus.address))
        let client = try await Connection(to: .custom(bus.address))
        let name = client.uniqueName
        let callers = Callers(
            connection: service, identifier: UnableIdentifier(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        var results: [Bool] = []
        callers.begin(
            Callers.Handlers { _ in
            } identified: { _, error in
                results.append(error == nil)
            })
        #expect(callers.identifiedCaller(name) == nil)
        try await eventually("it is asked about") { results == [true] }
        #expect(callers.identifiedCaller(name) != nil)
        callers.workerStarted(of: getuid() + 1)
        #expect(callers.identifiedCaller(name) != nil, "that is another user's")
        callers.workerStarted(of: getuid())
        #expect(callers.identifiedCaller(name) == nil)
        try await eventually("it is asked about again") { results == [true, true] }
        await client.close()
        try await eventually("the bus no longer knows it") { try await service.owner(of: name) == nil }
        // A second after the last time.
        try await eventually("it is asked about again") {
            _ = callers.identifiedCaller(name)
            return results == [true, true, false]
        }
        let forgotten = callers.forget(name)
        #expect(forgotten.hadCalled && forgotten.caller?.client.name.rawValue == name.rawValue)
        await service.close()
    }
}
