import DictationRig
import DictationTestKit
import Glibc
import Testing

/// A worker does not answer in time about a client: the client is unknown only for a while.
@Suite struct IdentifyRetryTests {
    @Test func identifiesAgainAfterALostAnswer() async throws {
        try await withUsers { rig, one, _ in
            let worker = try #require(try one.worker())
            try stopProcess(worker)
            let client = try one.start(["/usr/bin/python3", "-uc", Self.client, rig.bus.address])
            _ = try await client.line(of: .output) {
                $0 == "refused org.freedesktop.DBus.Error.AccessDenied"
            }
            kill(worker, SIGCONT)
            // The same connection.
            let answer = try await client.line(of: .output) { $0.hasPrefix("known") }
            #expect(answer == "known 0")
            client.terminate()
        }
    }

    /// Unidentified callers may not call StopAll.
    private static let client = """
        import dbus, dbus.bus, sys, time
        bus = dbus.bus.BusConnection(sys.argv[1])
        while True:
            try:
                count = bus.call_blocking("org.example.Dictation", "/org/example/Dictation", "org.example.Dictation",
                                          "StopAll", "a{sv}", ({},), timeout=20)
                print("known", count)
                break
            except dbus.DBusException as error:
                print("refused", error.get_dbus_name())
                time.sleep(0.1)
        """
}
