import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Testing

/// Real-time priority for the capture thread, as an ordinary user who may not set it.
@Suite struct RealTimeTests {
    /// `www-data`, which has the same number on every Debian.
    private static let user = TestUser(33)
    private static let portalName: BusName = "org.freedesktop.portal.Desktop"
    private static let portalPath: ObjectPath = "/org/freedesktop/portal/desktop"
    private static let linger = ["a{sv}", "1", "linger", "b", "true"]
    private static let realtime = "org.freedesktop.portal.Realtime"

    /// A portal, and the connection that controls it.
    private final class Portal: Sendable {
        let mock: DBusMock

        init(on bus: PrivateBus) async throws {
            let connection = try await Connection(to: .custom(bus.address))
            mock = try await DBusMock(
                RealTimeTests.portalName,
                [
                    RealTimeTests.portalName.rawValue, RealTimeTests.portalPath.rawValue,
                    RealTimeTests.realtime,
                ],
                on: bus.address, by: connection)
            try await mock.steer(
                RealTimeTests.portalPath, "AddMethod",
                [
                    .string(RealTimeTests.realtime), .string("MakeThreadRealtimeWithPID"), .string("ttu"),
                    .string(""), .string(""),
                ])
        }

        /// Process, thread and priority of each request.
        var requests: [[Int32]] {
            mock.process.lines(of: .output).compactMap { line in
                line.firstMatch(of: /MakeThreadRealtimeWithPID (\d+) (\d+) (\d+)/).map { match in
                    [match.output.1, match.output.2, match.output.3].compactMap { Int32($0) }
                }
            }
        }

        func end() async {
            await mock.connection.close()
        }
    }

    @Test func thePortalIsAskedForTheDataThread() async throws {
        let portal = Lock<Portal?>(nil)
        try await withRig(tones, as: Self.user) { bus in
            let started = try await Portal(on: bus)
            portal.withLock { $0 = started }
        } _: { rig in
            guard let portal = portal.withLock({ $0 }) else { return }
            try await rig.plugIn()
            _ = try await rig.busctl("Start", Self.linger)
            try await eventually("the portal was asked") { portal.requests.count == 1 }
            let request = try #require(portal.requests.first)
            let worker = try rig.workerPid()
            #expect(request[0] == worker)
            #expect(request[2] == 20)
            let thread = "/proc/\(worker)/task/\(request[1])"
            #expect(request[1] != worker)
            #expect(FileManager.default.fileExists(atPath: thread))
            // If the portal answers, no other is asked.
            #expect(!rig.daemon.text(of: .errors).contains("real-time"))
        }
        await portal.withLock { $0 }?.end()
    }

    @Test func callsAreAnsweredAtOnceWhileThePortalIsSilent() async throws {
        let portal = Lock<Portal?>(nil)
        try await withRig(tones, as: Self.user) { bus in
            let started = try await Portal(on: bus)
            try started.mock.pause()
            portal.withLock { $0 = started }
        } _: { rig in
            try await rig.plugIn()
            _ = try await rig.busctl("Start", Self.linger)
            try await eventually("it listens") { try await rig.isCapturing() }
            try await rig.audio.kill()
            let client = try await TestClient(on: rig, listensToAll: false)
            var waits: [Duration] = []
            func ping(_ name: BusName, _ path: ObjectPath) async throws -> Duration {
                let start = SuspendingClock.now
                _ = try await client.connection.call(
                    destination: name, path: path, interface: "org.freedesktop.DBus.Peer", member: "Ping")
                return start.duration(to: .now)
            }
            func ping() async throws {
                // What keeps the bus waiting at the same time is not the service.
                async let ofBus = ping(.bus, .bus)
                async let ofService = ping(DictationInterface.busName, DictationInterface.path)
                let (bus, service) = try await (ofBus, ofService)
                waits.append(max(.zero, service - bus))
            }
            try await eventually("it has lost the server") {
                try await ping()
                return rig.daemon.text(of: .errors).contains("The connection to the audio server was lost")
            }
            try await rig.audio.start()
            let again = try DriverMicrophone("again", of: rig.audio, pace: .brisk)
            try await eventually("it listens again") {
                for _ in 0..<20 { try await ping() }
                return try await rig.isCapturing()
            }
            again.unplug()
            waits.sort()
            print("Ping while reconnecting: at most \(waits.last ?? .zero) more than that of the bus")
            #expect(waits[waits.count / 2] < .milliseconds(50))
            #expect(waits.last ?? .zero < .seconds(1))
        }
        portal.withLock { $0 }?.mock.resume()
        await portal.withLock { $0 }?.end()
    }
}
