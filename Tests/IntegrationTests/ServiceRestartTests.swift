import DBus
import DictationClient
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing

/// Who starts the daemon again after it was killed, and how a client finds its session.
@Suite(.timeLimit(.minutes(5))) struct ServiceRestartTests {
    /// `packaging/soak journal` has 200.
    private static let kills =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_KILLS"].flatMap { Int($0) } ?? 2

    /// Says a tone, and waits until its text and the silence after it are there. The rest of the tone would be heard after
    /// a restart, or in the next block.
    private func say(
        _ frequency: Int, with microphone: DriverMicrophone, until text: String, in session: DictationSession
    ) async throws {
        let speech = Speech.tones(frequency) + Speech.silence(1.5)
        let end = microphone.played + speech.count
        microphone.play(speech)
        try await eventually("\(text) is understood") {
            try await session.status().text == text && microphone.played >= end
        }
    }

    /// A user's own service keeps its journals in a folder, also under a service manager that could keep them.
    @Test func theJournalIsInTheFolderUnderAServiceManager() async throws {
        let folder = try TemporaryDirectory()
        let configuration = try folder.write(
            tones + "permissions:\n  allow: [\"*\"]\n", to: "dictation.yaml")
        let audio = try await PrivatePipeWire()
        let bus = try await PrivateBus()
        let microphone = try DriverMicrophone("microphone", of: audio, pace: .brisk)
        let manager = try ChildProcess(
            [
                "python3", "-c", Self.manager, folder.path(of: "notify"), executable("dictationd"),
                "--bus", bus.address, "--verbose", "--config", configuration,
            ], environment: audio.environment.merging(["HOME": folder.path]) { $1 })
        func starts(_ count: Int) async throws {
            try await eventually("the service was started") {
                manager.lines(of: .errors).count { $0.contains("listening on the bus") } == count
            }
        }
        try await starts(1)
        let client = try await DictationClient(bus: .address(bus.address))
        var options = StartOptions()
        options.survivesRestart = true
        let session = try await client.start(options)
        try await eventually("it listens") { try await session.status().state == .listening }
        try await say(500, with: microphone, until: "t500", in: session)
        try manager.write("kill\n")
        try await starts(2)
        try await eventually("the text is there") { try await session.status().text == "t500" }
        let runtime = audio.environment["XDG_RUNTIME_DIR", default: ""] + "/dictation"
        func journals() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: runtime).count { $0.hasPrefix("journal-") }
        }
        #expect(try journals() == 1)
        try await session.resume()
        try await eventually("it listens again") { try await session.status().state == .listening }
        try await say(600, with: microphone, until: "t500 t600", in: session)
        #expect(try await session.commit().text == "t500 t600")
        func keeps(_ files: String) async throws {
            do {
                try await eventually("the manager keeps \(files)") {
                    try manager.write("count\n")
                    return manager.lines(of: .output).last == files
                }
            } catch {
                try manager.write("show\n")
                let shown = try await manager.line(of: .output) { $0.hasPrefix("shown") }
                throw TestFailure("\(error)\n\(shown)\n\(manager.text(of: .errors))")
            }
        }
        try await session.stop()
        #expect(try journals() == 0)
        try await keeps("0 files, 0 bytes")
        try manager.write("end\n")
        #expect(try await manager.exitStatus() == .exited(0))
        #expect(!manager.text(of: .errors).contains("t500"))
        await client.close()
        try await bus.kill()
        try await audio.kill()
    }

    private static let manager = """
        import fcntl, os, select, signal, socket, sys
        receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        receiver.bind(sys.argv[1])
        kept = {}

        def start():
            pid = os.fork()
            if pid: return pid
            os.environ.update(NOTIFY_SOCKET=sys.argv[1], LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(kept)),
                              LISTEN_FDNAMES=":".join(kept))
            files = [fcntl.fcntl(file, fcntl.F_DUPFD, 100) for file in kept.values()]
            for number, file in enumerate(files): os.dup2(file, 3 + number)
            os.closerange(3 + len(files), 200)
            os.execv(sys.argv[2], sys.argv[2:])

        service = start()
        while True:
            ready, _, _ = select.select([receiver, 0], [], [])
            if receiver in ready:
                text, files, _, _ = socket.recv_fds(receiver, 4096, 4)
                fields = dict(line.split("=", 1) for line in text.decode().split("\\n") if "=" in line)
                if "FDSTORE" in fields: kept[fields["FDNAME"]] = files[0]
                if "FDSTOREREMOVE" in fields: os.close(kept.pop(fields["FDNAME"]))
                continue
            for command in os.read(0, 1000).decode().split():
                if command == "count":
                    print(len(kept), "files,", sum(os.fstat(file).st_size for file in kept.values()), "bytes", flush=True)
                    continue
                if command == "show":
                    print("shown", {name: os.pread(file, 10000, 0) for name, file in kept.items()}, flush=True)
                    continue
                os.kill(service, signal.SIGKILL if command == "kill" else signal.SIGTERM)
                _, status = os.waitpid(service, 0)
                if command == "end": sys.exit(status)
                service = start()
        """

    /// The bus starts the daemon again, because the client calls. A worker that fails is started by the daemon.
    @Test func theClientFindsItsSessionAgain() async throws {
        let machine = try await ActivatingBus()
        let (audio, bus) = (machine.audio, machine.bus)
        let microphone = try DriverMicrophone("microphone", of: audio, pace: .brisk)
        let client = try await DictationClient(bus: .address(bus.address))
        let watcher = try await Connection(to: .custom(bus.address))
        let service = DictationProxy(connection: watcher, destination: DictationInterface.busName)
        func pid() async throws -> Int32 {
            Int32(try #require(try await watcher.credentials(of: DictationInterface.busName).pid))
        }
        var options = StartOptions()
        options.survivesRestart = true
        let session = try await client.start(options)
        try await eventually("it listens") { try await session.status().state == .listening }
        var events = session.events.makeAsyncIterator()
        var text = ""
        for round in 0..<Self.kills {
            let tone = 300 + 100 * (round % 30)
            text += text.isEmpty ? "t\(tone)" : " t\(tone)"
            try await say(tone, with: microphone, until: text, in: session)
            // In turns the whole service, and the process with the sessions alone.
            let service = try await pid()
            kill(round.isMultiple(of: 2) ? service : try Rig.workerPid(ofDaemon: service), SIGKILL)
            var restored: SessionStatus?
            while restored == nil, let event = try await events.next() {
                if case .restored(let status) = event { restored = status }
            }
            #expect(restored?.session == session.id)
            #expect(restored?.state == .paused)
            try await eventually("the text is there") { try await session.status().text == text }
            try await session.resume()
        }
        try await say(3300, with: microphone, until: "\(text) t3300", in: session)
        #expect(try await session.commit().text == "\(text) t3300")
        try await session.stop()

        let listener = try ChildProcess(
            [executable("dictation-cli"), "listen", "--address", bus.address], environment: audio.environment)
        func listens() async throws {
            try await eventually("it listens") { try await service.value(of: .state) == .string("listening") }
        }
        try await listens()
        let began = microphone.played
        microphone.play((0..<12).flatMap { Speech.tones(300 + 100 * $0) })
        try await eventually("half is said") { microphone.played - began >= 48_000 }
        kill(try await pid(), SIGKILL)
        _ = try await listener.line(of: .errors) { $0.contains("was restarted") }
        try await listens()
        microphone.play(Speech.tones(800) + Speech.silence(2))
        let line = try await listener.line(of: .output) { $0.contains("t800") }
        #expect(line.hasPrefix("t300 t400"), "\(line)")

        let second = microphone.played
        microphone.play((0..<12).flatMap { Speech.tones(300 + 100 * $0) })
        try await eventually("half is said") { microphone.played - second >= 48_000 }
        kill(try Rig.workerPid(ofDaemon: try await pid()), SIGKILL)
        try await eventually("it has noticed that, too") {
            listener.text(of: .errors).split(separator: "\n").count { $0.contains("was restarted") } == 2
        }
        try await listens()
        microphone.play(Speech.tones(2000) + Speech.silence(2))
        let next = try await listener.line(of: .output) { $0.contains("t2000") }
        #expect(next.hasPrefix("t300 t400"), "\(next)")
        listener.terminate()
        _ = try await listener.exitStatus()
        await client.close()
        await watcher.close()
        try await machine.end()
    }
}
