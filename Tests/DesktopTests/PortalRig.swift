import DBus
import Desktop
import DictationTestKit
import EventLoop

/// A screen without a monitor, and on it the program that shows the desktop portal's dialogs.
final class PortalRig: Sendable {
    static let backend: BusName = "org.freedesktop.impl.portal.desktop.gtk"

    let bus: PrivateBus
    let home: TemporaryDirectory
    let connection: Connection
    let prompter: PortalPrompter
    let screen: PortalScreen

    init() async throws {
        bus = try await PrivateBus()
        home = try TemporaryDirectory()
        connection = try await Connection(to: .custom(bus.address))
        screen = try await PortalScreen(on: bus.address, home: home.path)
        // The files are those that the packages install; what this desktop is, the test does not say.
        prompter = PortalPrompter(
            on: connection, environment: ["PATH": "/usr/bin:/bin", "HOME": home.path])
        let connection = connection
        try await eventually("the backend is on the bus") {
            try await connection.owner(of: Self.backend) != nil
        }
    }

    func close() async {
        await connection.close()
    }
}

/// Runs a test with a screen and a portal, and lets go of them whatever happens.
func withPortal(_ body: (PortalRig) async throws -> Void) async throws {
    let rig = try await PortalRig()
    do {
        try await body(rig)
    } catch {
        await rig.close()
        throw TestFailure("\(error)\n\(rig.screen.backend.text(of: .errors))")
    }
    await rig.close()
}
