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

/// Records the property by its signal, and the graph.
private final class UseWatch: Sendable {
    struct Seen: Hashable {
        var isInUse: Bool
        var exists: Bool
    }

    private let changes = Lock<[Bool]>([])
    private let follower: NodeFollower

    init(_ rig: Rig, _ client: TestClient) async throws {
        follower = try await NodeFollower("dictation.capture", of: rig.audio)
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

    /// Whether there is a stream, at each change. There may be two while one replaces the other.
    var streams: [Bool] { follower.changes.map(\.exists) }

    var seen: Seen { Seen(isInUse: told.last ?? false, exists: streams.last ?? false) }
}
