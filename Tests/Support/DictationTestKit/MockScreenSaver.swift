public import DBus

/// A screen saver on a private bus that covers the screen when the test says so.
public final class MockScreenSaver: Sendable {
    public let mock: DBusMock
    private let path: ObjectPath
    private let interface: InterfaceName

    /// - Parameters:
    ///   - name: its name on the bus, such as `org.gnome.ScreenSaver`.
    ///   - answers: whether it has GetActive, or tells of changes alone.
    ///   - user: as whom it runs; nil for the user of the tests.
    public init(
        _ name: BusName, at path: ObjectPath, interface: InterfaceName, answers: Bool = true,
        isActive: Bool = false, on bus: String, by connection: Connection, as user: TestUser? = nil
    ) async throws {
        self.path = path
        self.interface = interface
        mock = try await DBusMock(
            name, ["--session", name.rawValue, path.rawValue, interface.rawValue], on: bus, by: connection,
            as: user)
        // It had its name before its methods. So it tells its state, as one that starts does.
        if answers {
            let code = "ret = getattr(self, 'is_active', False)"
            try await addMethod("GetActive", "", "b", code)
        }
        let code =
            "self.is_active = args[0]; self.EmitSignal('\(interface)', 'ActiveChanged', 'b', [args[0]])"
        try await addMethod("SetActive", "b", "", code)
        if isActive { try await setActive(true) }
    }

    private func addMethod(_ name: String, _ input: String, _ output: String, _ code: String) async throws {
        try await mock.steer(
            path, "AddMethod",
            [.string(interface.rawValue), .string(name), .string(input), .string(output), .string(code)])
    }

    /// Covers the screen, or uncovers it, and tells.
    public func setActive(_ isActive: Bool) async throws {
        try await mock.call(path, interface, "SetActive", [.bool(isActive)])
    }
}
