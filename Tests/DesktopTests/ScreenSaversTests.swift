import DBus
import Desktop
import DictationCore
import DictationTestKit
import EventLoop
import Glibc
import Testing

@Suite struct ScreenSaversTests {
    private static let places: [(ScreenSaver, ObjectPath, InterfaceName)] = [
        (.gnome, "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver"),
        (.freedesktop, "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver"),
        (.freedesktop, "/ScreenSaver", "org.freedesktop.ScreenSaver"),
        (.kde, "/ScreenSaver", "org.freedesktop.ScreenSaver"),
        (.cinnamon, "/org/cinnamon/ScreenSaver", "org.cinnamon.ScreenSaver"),
        (.mate, "/org/mate/ScreenSaver", "org.mate.ScreenSaver"),
        (.xfce, "/org/xfce/ScreenSaver", "org.xfce.ScreenSaver"),
    ]

    /// A bus, and the published state of its screen savers.
    private final class Rig: Sendable {
        let bus: PrivateBus
        let connection: Connection
        let screenSavers: ScreenSavers
        private let record: Record

        private final class Record: Sendable {
            let states = Lock<[[ScreenSaver: Bool]]>([])
        }

        init() async throws {
            // A system bus, which lets processes of other users connect.
            bus = try await PrivateBus(.system)
            connection = try await Connection(to: .custom(bus.address))
            let record = Record()
            self.record = record
            screenSavers = ScreenSavers(on: connection) { new in record.states.withLock { $0.append(new) } }
        }

        /// All published states, in order.
        var history: [[ScreenSaver: Bool]] { record.states.withLock { $0 } }

        func screenSaver(
            _ place: (ScreenSaver, ObjectPath, InterfaceName), answers: Bool = true, isActive: Bool = false,
            as user: TestUser? = nil
        ) async throws -> MockScreenSaver {
            let name = try #require(BusName(place.0.rawValue))
            return try await MockScreenSaver(
                name, at: place.1, interface: place.2, answers: answers, isActive: isActive,
                on: bus.address, by: connection, as: user)
        }

        func expect(_ wanted: [ScreenSaver: Bool]) async throws {
            try await eventually("\(wanted), not \(history)") { history.last ?? [:] == wanted }
        }

        func close() async {
            await screenSavers.stop()
            await connection.close()
        }
    }

    private func withRig(_ body: (Rig) async throws -> Void) async throws {
        let rig = try await Rig()
        do {
            try await body(rig)
        } catch {
            await rig.close()
            throw error
        }
        await rig.close()
    }

    @Test(arguments: 0..<7) func eachKindIsAskedAndFollowed(index: Int) async throws {
        let place = Self.places[index]
        try await withRig { rig in
            let screenSaver = try await rig.screenSaver(place, isActive: true)
            await rig.screenSavers.start()
            try await rig.expect([place.0: true])
            try await screenSaver.setActive(false)
            try await rig.expect([place.0: false])
            try await screenSaver.setActive(true)
            try await rig.expect([place.0: true])
            try await screenSaver.mock.kill()
            try await rig.expect([:])
        }
    }

    @Test func oneThatStartsLaterIsFound() async throws {
        try await withRig { rig in
            await rig.screenSavers.start()
            let screenSaver = try await rig.screenSaver(Self.places[0])
            try await screenSaver.setActive(true)
            try await rig.expect([.gnome: true])
        }
    }

    /// Like GNOME's proxy of `org.freedesktop.ScreenSaver`, which only inhibits.
    @Test func aSilentScreenSaverCountsFromItsNextSignal() async throws {
        try await withRig { rig in
            let silent = try await rig.screenSaver(Self.places[1], answers: false)
            let other = try await rig.screenSaver(Self.places[0], isActive: true)
            await rig.screenSavers.start()
            try await rig.expect([.gnome: true])
            try await silent.setActive(true)
            try await rig.expect([.gnome: true, .freedesktop: true])
            _ = other
        }
    }

    /// Needs root.
    @Test func ignoresOtherUsersProcesses() async throws {
        try await withRig { rig in
            chmod(rig.bus.directory.path, 0o755)
            let foreign = try await rig.screenSaver(Self.places[0], as: TestUser(33))
            await rig.screenSavers.start()
            try await foreign.setActive(true)
            // When this one's signal has arrived, the other's would have too.
            let own = try await rig.screenSaver(Self.places[4])
            try await own.setActive(true)
            try await rig.expect([.cinnamon: true])
            #expect(!rig.history.contains { $0[.gnome] != nil })
        }
    }
}
