public import DBus

/// A screen saver on a private bus, which the test controls.
public final class MockScreenSaver: Sendable {
    public let mock: DBusMock
    private let path: ObjectPath
    private let interface: InterfaceName

    /// - Parameters:
    ///   - name: its name on the bus, such as `org.gnome.ScreenSaver`.
    ///   - answers: whether it has GetActive, or only signals.
    ///   - user: the user it runs as; nil for the user of the tests.
    public init(
        _ name: BusName, at path: ObjectPath, interface: InterfaceName, answers: Bool = true,
        isActive: Bool = false, on bus: String, by connection: Connection, as user: TestUser? = nil
    ) async throws {
        self.path = path
        self.interface = interface
        mock = try await DBusMock(
            name, ["--session", name.rawValue, path.rawValue, interface.rawValue], on: bus, by: connection,
            as: user)
        // It had its name before its methods, so it signals its state, like a real one that starts.
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

    /// Covers or uncovers the screen, and signals it.
    public func setActive(_ isActive: Bool) async throws {
        try await mock.call(path, interface, "SetActive", [.bool(isActive)])
    }
}
