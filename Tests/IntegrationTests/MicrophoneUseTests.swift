import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Testing

/// The property InUse is true exactly while a capture stream is in the audio server's graph.
@Suite struct MicrophoneUseTests {
    @Test func inUseIsTrueExactlyWhileAStreamExists() async throws {
        try await withRig(tones) { rig in
            var microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            let watch = try await UseWatch(rig, client)
            var history: [String] = []
            func expectUse(_ isWanted: Bool, _ step: String) async throws {
                try await eventually("in use is \(isWanted): \(step)") {
                    watch.seen == UseWatch.Seen(isInUse: isWanted, exists: isWanted)
                }
                history.append("\(step), \(watch.told.count) changes")
            }
            for round in 1...3 {
                _ = try await client.dictation.start(options: [:])
                try await expectUse(true, "started")
                try await client.dictation.pause()
                try await expectUse(false, "paused")
                try await client.dictation.resume()
                try await expectUse(true, "resumed")
                microphone.unplug()
                try await expectUse(false, "unplugged")
                // The session manager may withdraw the default late. A microphone of the same name would be the default
                // until then, and its stream be opened twice.
                microphone = try await rig.plugIn("microphone-\(round)")
                try await expectUse(true, "plugged in")
                let call = try rig.audio.record(role: "Communication")
                try await expectUse(false, "a call")
                call.kill()
                try await expectUse(true, "after the call")
                _ = try await client.dictation.commit()
                try await client.dictation.stop()
                try await expectUse(false, "stopped")
            }
            // Four times open in each round, and no other change was signalled or seen.
            #expect(
                watch.told == [Bool](repeating: true, count: 12).flatMap { [$0, !$0] },
                "\(history) \(client.story) \(rig.daemon.text(of: .errors))")
            #expect(watch.streams == watch.told)
        }
    }
}

/// Records the property by its signal, and the graph by pw-mon.
private final class UseWatch: Sendable {
    struct Seen: Hashable {
        var isInUse: Bool
        var exists: Bool
    }

    private let changes = Lock<[Bool]>([])
    private let monitor: ChildProcess

    init(_ rig: Rig, _ client: TestClient) async throws {
        monitor = try ChildProcess(
            ["/usr/bin/python3", "-uc", Self.monitor], environment: rig.audio.environment)
        _ = try await monitor.line(of: .output) { $0 == "ready" }
        let signals = try await client.connection.signals(
            MatchRule(path: DictationInterface.path, interface: .properties, member: "PropertiesChanged"))
        Task { [weak self] in
            for await message in signals {
                guard message.body.count > 1, case .dictionary(let values, _, _) = message.body[1],
                    case .variant(.bool(let isInUse))? = values[.string(BusText("InUse"))]
                else { continue }
                self?.changes.withLock { $0.append(isInUse) }
            }
        }
    }

    /// The signalled changes of InUse.
    var told: [Bool] { changes.withLock { $0 } }

    /// Streams that appeared (true) and disappeared (false), in order.
    var streams: [Bool] {
        monitor.lines(of: .output).compactMap { $0 == "ready" ? nil : $0 == "came" }
    }

    /// Parses pw-mon's output, which has an object in an unindented line and those below it.
    private static let monitor = #"""
        import subprocess
        streams = set()
        removal = number = None
        for line in subprocess.Popen(["stdbuf", "-oL", "pw-mon", "-N"], stdout=subprocess.PIPE, text=True).stdout:
            if line[0].isalpha():
                removal = line == "removed:\n"
            elif line.startswith("\tid: "):
                number = line.split()[1]
                if removal and number in streams:
                    streams.remove(number)
                    print("went")
            elif 'node.name = "dictation.capture"' in line and number not in streams:
                streams.add(number)
                print("came")
            elif 'application.name = "pw-mon"' in line:
                print("ready")
        """#

    var seen: Seen { Seen(isInUse: told.last ?? false, exists: streams.last ?? false) }
}
