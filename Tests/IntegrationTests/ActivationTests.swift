import DBus
import DictationClient
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

/// The bus starts the daemon on the first call, and the service manager is notified.
@Suite struct ActivationTests {
    private static let shipped = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../dbus/org.example.Dictation.service")

    @Test func theFirstCallStartsTheDaemon() async throws {
        let services = try TemporaryDirectory()
        // The shipped file, with another path of the program.
        let text = try String(contentsOf: Self.shipped, encoding: .utf8)
            .replacing("@libexecdir@/dictationd", with: executable("dictationd"))
        try services.write(text, to: "org.example.Dictation.service")
        let audio = try await PrivatePipeWire()
        let bus = try await PrivateBus(
            configuration: "<servicedir>\(services.path)</servicedir>", environment: audio.environment)
        let call = [
            "busctl", "--address=\(bus.address)", "call", "\(DictationInterface.busName)",
            "\(DictationInterface.path)", "\(DictationInterface.name)", "CheckPermission",
        ]
        let result = try await ChildProcess.run(call)
        #expect(result.status == .exited(0), "\(result.errors)")
        #expect(result.output.contains("not-determined"))
        let owner = try await ChildProcess.run([
            "busctl", "--address=\(bus.address)", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
            "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s", "\(DictationInterface.busName)",
        ])
        let pid = try #require(owner.output.split(separator: " ").last.flatMap { Int32($0.dropLast()) })
        // Without its bus it exits.
        try await bus.kill()
        try await eventually("the daemon has ended") { kill(pid, 0) != 0 }
        try await audio.kill()
    }

    /// The number of idle exits and starts. `packaging/soak activation` has 500.
    private static let rounds =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_ROUNDS"].flatMap { Int($0) } ?? 25

    /// Calls at the moment of the idle exit, before and after.
    @Test func answersACallDuringIdleExit() async throws {
        let machine = try await ActivatingBus("", arguments: ["--exit-on-idle", "0.02"])
        let bus = machine.bus
        let callers = [
            try await Connection(to: .custom(bus.address)),
            try await Connection(to: .custom(bus.address)),
        ]
        var services: Set<BusName> = []
        var random = TestRandom()
        for round in 0..<Self.rounds {
            let questions = (Self.questions(&random), Self.questions(&random))
            async let first = Self.call(by: callers[0], round, questions.0)
            async let second = Self.call(by: callers[1], round, questions.1)
            for owner in try await [first, second] { if let owner { services.insert(owner) } }
        }
        print("\(Self.rounds) rounds of two callers were answered by \(services.count) services")
        #expect(services.count >= Self.rounds / 5)
        for caller in callers { await caller.close() }
        try await machine.end()
    }

    /// The number of polls of ``waitForIdleExit(_:atMost:)``: before the exit, around it, or after.
    private static func questions(_ random: inout TestRandom) -> Int { .random(in: 0..<400, using: &random) }

    /// Waits for the idle exit, for at most this many calls to the bus.
    private static func waitForIdleExit(_ connection: Connection, atMost questions: Int) async throws {
        for _ in 0..<questions {
            if try await connection.owner(of: DictationInterface.busName) == nil { return }
        }
    }

    /// Returns the name's owner right after the call.
    private static func call(by caller: Connection, _ round: Int, _ questions: Int) async throws -> BusName? {
        let dictation = DictationProxy(connection: caller, destination: DictationInterface.busName)
        if round % 5 == 0 {
            // Each has a session; the latest to start has the microphone.
            _ = try await dictation.start(options: [:])
            try await dictation.stop()
        } else {
            _ = try await dictation.checkPermission()
        }
        let owner = try await caller.owner(of: DictationInterface.busName)
        try await waitForIdleExit(caller, atMost: questions)
        return owner
    }

    /// Start at the moment of the idle exit, before and after.
    @Test func theClientFollowsASessionWhoseStartCrossesTheIdleExit() async throws {
        let machine = try await ActivatingBus(arguments: ["--exit-on-idle", "0.02"])
        let bus = machine.bus
        let client = try await DictationClient(bus: .address(bus.address))
        let watcher = try await Connection(to: .custom(bus.address))
        var random = TestRandom()
        for round in 0..<(4 * Self.rounds) {
            let session = try await client.start()
            // Throws if the client takes the session for one that ended with its service.
            try await session.stop()
            var events: [DictationEvent] = []
            for try await event in session.events { events.append(event) }
            #expect(events.last == .stopped(.stopped), "round \(round): \(events)")
            try await Self.waitForIdleExit(watcher, atMost: Self.questions(&random))
        }
        await client.close()
        await watcher.close()
        try await machine.end()
    }

    @Test func theSessionBusIsRefusedWhereTheServiceIsInstalledForTheMachine() async throws {
        let services = try TemporaryDirectory()
        try services.write(
            "[D-BUS Service]\nName=\(DictationInterface.busName)\nExec=/bin/false\n", to: "some.service")
        let system = try await PrivateBus(configuration: "<servicedir>\(services.path)</servicedir>")
        let session = try await PrivateBus()
        let home = try TemporaryDirectory()
        let environment = [
            "HOME": home.path, "PATH": "/usr/bin:/bin", "DBUS_SYSTEM_BUS_ADDRESS": system.address,
            "DBUS_SESSION_BUS_ADDRESS": session.address,
        ]
        let refused = try await ChildProcess.run(
            [executable("dictationd"), "--bus", "session"], environment: environment)
        #expect(refused.status == .exited(69))
        #expect(refused.errors.contains("installed for the whole machine"), "\(refused.errors)")
        // An explicit address is accepted.
        let daemon = try ChildProcess(
            [executable("dictationd"), "--verbose", "--bus", session.address], environment: environment)
        _ = try await daemon.line(of: .errors) { $0.contains("listening on the bus") }
        daemon.terminate()
        #expect(try await daemon.exitStatus() == .exited(0))
    }

    @Test func notifiesTheServiceManagerOfReadinessAndEnd() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "notify")
        let listener = try ChildProcess([
            "/usr/bin/python3", "-uc",
            """
            import socket, sys
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]); print("bound")
            while True: print(s.recv(100).decode())
            """, path,
        ])
        _ = try await listener.line(of: .output) { $0 == "bound" }
        let audio = try await PrivatePipeWire()
        let bus = try await PrivateBus()
        let daemon = try ChildProcess(
            [executable("dictationd"), "--bus", bus.address],
            environment: audio.environment, adding: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"])
        for word in ["READY=1", "WATCHDOG=1"] { _ = try await listener.line(of: .output) { $0 == word } }
        daemon.terminate()
        #expect(try await daemon.exitStatus() == .exited(0))
        _ = try await listener.line(of: .output) { $0 == "STOPPING=1" }
        try await audio.kill()
    }

    @Test func aServiceManagerThatDoesNotReadDelaysNothing() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "notify")
        let manager = try ChildProcess([
            "/usr/bin/python3", "-uc",
            """
            import socket, sys, time
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1])
            full = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); full.setblocking(False)
            try:
                while True: full.sendto(b"full", sys.argv[1])
            except BlockingIOError: print("full")
            time.sleep(1000)
            """, path,
        ])
        _ = try await manager.line(of: .output) { $0 == "full" }
        let audio = try await PrivatePipeWire()
        let bus = try await PrivateBus()
        let daemon = try ChildProcess(
            [executable("dictationd"), "--bus", bus.address],
            environment: audio.environment, adding: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"])
        let caller = try await Connection(to: .custom(bus.address))
        try await eventually("it serves") {
            try await caller.owner(of: DictationInterface.busName) != nil
        }
        let dictation = DictationProxy(connection: caller, destination: DictationInterface.busName)
        // The watchdog is due meanwhile.
        for _ in 0..<10 {
            #expect(try await dictation.getSession()["state"] == .string("idle"))
            try await Task.sleep(for: .milliseconds(50))
        }
        daemon.terminate()
        #expect(try await daemon.exitStatus() == .exited(0))
        await caller.close()
        try await audio.kill()
    }

    @Test(arguments: [
        (["--bus", "system"], Int32(69), "/nonexistent"),
        (["--bus", "unix:path=/nonexistent"], 69, "nonexistent"),
        (["--config", "/nonexistent.yaml"], 78, "/nonexistent.yaml"),
        (["--config", "/nonexistent.yaml", "--check"], 78, "/nonexistent.yaml"),
        (["--help"], 0, "OVERVIEW"), (["--version"], 0, "0.1.0"), (["--louder"], 64, "louder"),
    ])
    func theCommandLineExplainsErrors(arguments: [String], code: Int32, part: String) async throws {
        let home = try TemporaryDirectory()
        let result = try await ChildProcess.run(
            [executable("dictationd")] + arguments,
            environment: [
                "HOME": home.path, "PATH": "/usr/bin:/bin",
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
            ])
        #expect(result.status == .exited(code))
        #expect((result.output + result.errors).contains(part), "\(result.errors)")
    }

    @Test func aSecondServiceOnTheSameBusIsRefused() async throws {
        try await withRig(tones) { rig in
            let second = try await ChildProcess.run(
                [executable("dictationd"), "--bus", rig.bus.address], environment: rig.environment)
            #expect(second.status == .exited(69))
            #expect(second.errors.contains("another dictation service"), "\(second.errors)")
        }
    }
}
