import DBus
import DictationInterface
import DictationRig
import DictationTestKit

/// A session's interruptions, routes and errors, as short strings.
extension TestClient {
    /// A client with a session that listens.
    static func listening(on rig: Rig, _ options: [BusText: Value] = [:]) async throws -> TestClient {
        let client = try await TestClient(on: rig)
        _ = try await client.dictation.start(options: options)
        try await client.state("listening")
        return client
    }

    /// `Interrupted call`, `Resumed call`, `new-device: one → two`, `Error RouteChangeFailed`, in order.
    var story: [String] {
        signals.compactMap { signal in
            switch signal {
            case .interrupted(_, let reason, _): "Interrupted \(reason)"
            case .resumed(_, let reason, _): "Resumed \(reason)"
            case .routeChanged(_, let reason, let previous, let current, _):
                "\(reason): \(name(previous)) → \(name(current))"
            case .error(_, let name, _, _): "Error \(name.split(separator: ".").last ?? "")"
            default: nil
            }
        }
    }

    private func name(_ route: [BusText: Value]) -> String {
        route["name"].flatMap { String($0) } ?? "-"
    }

    /// Waits until the events end with this, for the `count`th time.
    func comes(_ event: String, times count: Int = 1, within timeout: Duration = timeout) async throws {
        do {
            try await eventually(event, within: timeout) { story.count { $0 == event } >= count }
        } catch {
            throw TestFailure("\(error); there was: \(story)")
        }
    }

    /// Waits until what was said is decoded, but for a second of it.
    func isDecoded(within timeout: Duration = .seconds(120)) async throws {
        try await eventually("it is decoded", within: timeout) {
            let lag = try await dictation.getSession()[SessionKey.lag]
            return if case .double(let behind) = lag { behind < 1 } else { false }
        }
    }

    /// Plays a tone, and waits until it is in the text of the current block.
    func hears(_ frequency: Int, from microphone: DriverMicrophone, on rig: Rig, block: UInt64 = 1)
        async throws
    {
        try await rig.say(Speech.tones(frequency), into: microphone)
        try await signal("t\(frequency) is understood") { _ in
            text(of: block).contains("t\(frequency)") ? true : nil
        }
    }
}

extension Rig {
    /// The daemon's resources while they do not change, and it identifies no client; meanwhile a descriptor holds the
    /// process.
    func usageAtRest() async throws -> Usage {
        var last = try usage()
        var same = 0
        try await eventually("descriptors and threads stay the same, and nobody is being identified") {
            let now = try usage()
            let isAtRest = !now.files.keys.contains { $0.contains("pidfd") }
            same = isAtRest && now.files == last.files && now.threads == last.threads ? same + 1 : 0
            last = now
            return same >= 10
        }
        return last
    }

    /// The daemon's resources after a client's session has closed its stream once. From then on libpipewire 1.4 keeps a
    /// descriptor.
    func usageAtRest(afterPausing client: TestClient) async throws -> Usage {
        try await client.dictation.pause()
        try await eventually("the stream is gone") { try await !isCapturing() }
        try await client.dictation.resume()
        try await eventually("it listens again") {
            try await client.dictation.getSession()["state"] == Value("listening")
        }
        return try await usageAtRest()
    }

    /// The daemon has as many descriptors and threads as before; threads of Dispatch end after a while without work.
    func expectAsBefore(_ before: Usage) async throws {
        do {
            try await eventually("descriptors and threads are as before") {
                let now = try usage()
                return now.descriptors == before.descriptors && now.threads <= before.threads
            }
        } catch {
            let now = try usage()
            throw TestFailure("\(error): \(before), now \(now)\n\(now.descriptorsChanged(since: before))")
        }
    }

    /// Waits until exactly one link feeds the daemon, from this microphone, within the promised time.
    func isListening(to microphone: String) async throws {
        let start = ContinuousClock.now
        try await eventually("it listens to \(microphone)", within: .seconds(10)) {
            let graph = try await audio.graph()
            return graph.links(microphone, to: "dictation.capture")
                && graph.linkClients(feeding: "dictation.capture").count == 1
        }
        print("listens to \(microphone) after \(start.duration(to: .now))")
    }
}
