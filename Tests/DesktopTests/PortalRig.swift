import DBus
import Desktop
import DictationTestKit
import EventLoop

/// A virtual screen and the portal backend that shows dialogs on it.
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
        // The packages' own files; the test does not name a desktop.
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

/// Runs a test with a screen and a portal, and then releases them.
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
