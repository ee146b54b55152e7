/// A private `dbus-daemon` in a temporary folder. Ends with this object.
public final class PrivateBus: Sendable {
    /// Its type: the default policy of a system bus is stricter.
    public enum Kind: String, Sendable {
        case session, system

        /// Limits of the stock session bus; the daemon's defaults are for a system bus.
        fileprivate var limits: String {
            guard self == .session else { return "" }
            return """
                <limit name="max_incoming_bytes">1000000000</limit>
                <limit name="max_outgoing_bytes">1000000000</limit>
                <limit name="max_message_size">1000000000</limit>
                <limit name="max_match_rules_per_connection">50000</limit>
                <limit name="max_replies_per_connection">50000</limit>
                """
        }
    }

    /// The address.
    public let address: String
    /// The bus's folder, also for related files.
    public let directory: TemporaryDirectory
    public let daemon: ChildProcess

    /// Starts the daemon and waits until it listens.
    /// - Parameters:
    ///   - policy: elements of the configuration's default `policy`. By default those of the stock session bus, which
    ///     allows everything, also replies to other connections' calls.
    ///   - configuration: further elements of `busconfig`: `limit`, `servicedir`, `include`.
    ///   - environment: for the daemon and activated programs; added to this process's own.
    public init(
        _ kind: Kind = .session,
        policy: String =
            #"<allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>"#,
        configuration: String = "", environment: [String: String] = [:]
    ) async throws {
        directory = try TemporaryDirectory()
        let file = try directory.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>\(kind.rawValue)</type>
              <listen>unix:path=\(directory.path(of: "bus"))</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">\(policy)</policy>
              \(kind.limits)
              \(configuration)
            </busconfig>
            """, to: "bus.conf")
        daemon = try ChildProcess(
            ["dbus-daemon", "--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=1"],
            adding: environment)
        address = try await daemon.line(of: .output)
    }

    /// The environment for programs that use this bus as their session and their system bus.
    public var environment: [String: String] {
        ["DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address]
    }

    /// Kills the bus. Returns when it has ended.
    public func kill() async throws {
        daemon.kill()
        _ = try await daemon.exitStatus()
    }
}
