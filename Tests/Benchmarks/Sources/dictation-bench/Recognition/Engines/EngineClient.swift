import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Glibc

/// What the client of the protocol itself costs, with a server that answers at once.
struct EngineClient {
    func run() async throws {
        var bar = Bar("The client of the protocol")
        try await passages(&bar)
        try await many(&bar)
        try await lentConnections(&bar)
        bar.print()
    }

    /// 20 s of speech, and how long after the answer its text is on the bus.
    private func passages(_ bar: inout Bar) async throws {
        let speech = Array(try await SpeechSet.librivox().samples.prefix(20 * 16000))
        let folder = try TemporaryDirectory()
        let server = try await ScriptedEngineServer(at: "unix:\(folder.path)/engine.sock")
        let dictation = try await Dictation(secondPass(at: server.address))
        let microphone = try await dictation.freshMicrophone()
        _ = try await dictation.text(of: speech, over: microphone)
        let sent = try await server.count(of: "audio")
        let repeats = 5
        var delays: [Double] = []
        let time = try await dictation.processorTime(of: "NIO-ELT-") {
            for _ in 0..<repeats {
                _ = try await dictation.text(of: speech, over: microphone)
                let arrived = Self.monotonic
                try await eventually("the server has told when it answered") {
                    let answers = try await server.count(of: "answered")
                    return try await answers == server.count(of: "audio")
                }
                let answered = server.process.lines(of: .output)
                    .last { $0.hasPrefix("answered ") }.flatMap { Double($0.dropFirst(9)) }
                delays.append((arrived - (answered ?? .nan)) * 1000)
            }
        }
        try await dictation.rig.end()
        let requests = try await (server.count(of: "audio") - sent) / repeats
        bar.add(
            "processor time of its thread for 20 s of speech, \(requests) requests", reference: "",
            time / Double(repeats) * 1000, atMost: 5, unit: "ms")
        bar.add(
            "from the last answer to the text on the bus, median of \(repeats)", reference: "",
            Samples(delays).median, atMost: 10, unit: "ms")
    }

    /// The clock of Python's `time.monotonic()`, in seconds.
    private static var monotonic: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Two thousand passages.
    private func many(_ bar: inout Bar) async throws {
        let folder = try TemporaryDirectory()
        let server = try await ScriptedEngineServer(at: "unix:\(folder.path)/engine.sock", text: "Hello.")
        let dictation = try await Dictation(secondPass(at: server.address, preview: "scripted"))
        try await dictation.client.waitForEngine("whisper")
        let passage = Speech.tones(500) + Speech.silence(2.2)
        // In pieces, because what is measured is what stays behind, not the audio.
        let piece = (0..<100).flatMap { _ in passage }
        for _ in 0..<4 { _ = try await dictation.transcribe(piece) }
        let before = try dictation.rig.usage()
        let sent = try await server.count(of: "audio")
        for _ in 0..<20 { _ = try await dictation.transcribe(piece) }
        let after = try dictation.rig.usage()
        let count = try await server.count(of: "audio") - sent
        try await dictation.rig.end()
        bar.add(
            "memory that stays after \(count) passages",
            reference: (Double(before.kibibytes) / 1024).written(1, "MiB"),
            Double(after.kibibytes - before.kibibytes) / 1024, atMost: 1, unit: "MiB")
        bar.add(
            "descriptors that stay", reference: "\(before.descriptors)",
            Double(after.descriptors - before.descriptors), atMost: 0, unit: "", decimals: 0)
    }

    /// From the request to the answer, where the agent opens the connection and where the service does.
    private func lentConnections(_ bar: inout Bar) async throws {
        let direct = try await answers(isLent: false)
        let lent = try await answers(isLent: true)
        bar.add(
            "request to answer over a connection that the agent opens, median of \(lent.count)",
            reference: "\(direct.median.written(1, "ms")) by the service itself", lent.median, atMost: 10,
            unit: "ms")
        bar.add(
            "...worst", reference: direct.maximum.written(1, "ms"), lent.maximum.written(1, "ms"))
    }

    private func answers(isLent: Bool) async throws -> Samples {
        let folder = try TemporaryDirectory()
        let owner = isLent ? TestUser(5) : SystemBus.serviceUser
        try owner.own(folder)
        let server = try await ScriptedEngineServer(
            at: "unix:\(folder.path)/engine.sock", text: "Hello.", uid: owner.uid)
        let configuration = secondPass(at: server.address, preview: "scripted")
        let rig = try await SystemRig(isLent ? tones : configuration)
        let user = try await DesktopUser(5, on: rig)
        if isLent { try user.configure(configuration) }
        try await eventually("the engine is there") {
            try await user.busctl(
                "Get", ["ss", "org.example.Dictation", "Engines"], of: "org.freedesktop.DBus.Properties"
            ).contains("\"whisper\"")
        }
        try await eventually("the microphone is a route") {
            try await user.busctl("ListRoutes").contains("microphone-of-5")
        }
        _ = try await user.busctl("Start", ["a{sv}", "1", "linger", "b", "true"])
        try await user.state("listening")
        var answers: [Double] = []
        for _ in 0..<15 {
            try await user.say(Speech.tones(500))
            _ = try await user.busctl("Commit")
            let engines = try await user.busctl(
                "Get", ["ss", "org.example.Dictation", "Engines"], of: "org.freedesktop.DBus.Properties")
            guard let match = engines.firstMatch(of: /"answer" d ([0-9.e-]+)/), let time = Double(match.1)
            else { throw TestFailure("The engine has not answered: \(engines)") }
            answers.append(time * 1000)
        }
        _ = try await user.busctl("Stop")
        user.agent?.terminate()
        _ = try await user.agent?.exitStatus()
        try await rig.end()
        try await user.audio.kill()
        return Samples(answers)
    }
}
