import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Glibc

/// What a server that fails does to a session: the text of PocketSphinx alone, one error, and the next commit waits no
/// longer than configured.
struct EngineFaults {
    private static let wait = 1.0
    private static let faults = [
        "answer", "killed", "stopped", "killed-mid-audio", "stopped-mid-audio", "killed-after-stop",
        "stopped-after-stop", "killed-mid-answer", "stopped-mid-answer", "close-mid-audio", "garbage",
        "no-newline", "negative", "huge", "deltas", "pings", "slow",
    ]

    private struct Result {
        var texts: [String] = []
        var commits: [Double] = []
        var failures = 0
        /// Milliseconds.
        var longestCall = 0.0
        var isUsedAgain = false
    }

    func run() async throws {
        let speech = try await SpeechSet.librivox().utterances[1].samples
        let alone = try await Dictation()
        let microphone = try await alone.freshMicrophone(pace: .realTime)
        let expected = try await alone.session(over: microphone.0) {
            var texts: [String] = []
            for _ in 0..<3 {
                texts.append(
                    try await alone.commit(speech + Speech.silence(0.6), over: microphone.1).text)
            }
            return texts
        }
        try await alone.rig.end()
        var table = Table(
            "Faults of a server, three commits each that wait up to \(Self.wait.written(0, "s"))",
            columns: "fault", "text as PocketSphinx alone", "longest commit", "errors, one an outage",
            "longest call meanwhile", "used again")
        for fault in Self.faults {
            let result = try await suffer(fault, speech)
            let isSame = zip(result.texts, expected).count { $0 == $1 }
            table.add(
                fault == "answer" ? "none" : fault, fault == "answer" ? "" : "\(isSame) of \(expected.count)",
                (result.commits.max() ?? .nan).written(0, "ms"), "\(result.failures)",
                result.longestCall.written(1, "ms"), result.isUsedAgain ? "yes" : "no")
        }
        table.print()
    }

    private func suffer(_ fault: String, _ speech: [Int16]) async throws -> Result {
        let folder = try TemporaryDirectory()
        let place = "unix:\(folder.path)/engine.sock"
        let server = try await ScriptedEngineServer(
            at: place, mode: ["killed", "stopped"].contains(fault) ? "answer" : fault, text: "Good.")
        let dictation = try await Dictation(secondPass(at: place) + "engine-wait: \(Int(Self.wait))\n")
        try await dictation.client.waitForEngine("whisper")
        let caller = try await TestClient(on: dictation.rig, listensToAll: false)
        let microphone = try await dictation.freshMicrophone(pace: .realTime)
        var result = Result()
        result.longestCall = try await dictation.session(over: microphone.0) {
            if fault == "killed" { server.process.kill() }
            if fault == "stopped" { server.process.send(SIGSTOP) }
            let calls = Task { try await Self.longestCall(of: caller) }
            for _ in 0..<3 {
                let commit = try await dictation.commit(speech + Speech.silence(0.6), over: microphone.1)
                result.texts.append(commit.text)
                result.commits.append(commit.milliseconds)
            }
            calls.cancel()
            let longest = try await calls.value
            server.process.kill()
            _ = try await server.process.exitStatus()
            let next = try await ScriptedEngineServer(at: place, text: "Good.")
            try await dictation.client.waitForEngine("whisper")
            let commit = try await dictation.commit(speech + Speech.silence(0.6), over: microphone.1)
            let isAsked = try await next.count(of: "audio") == 1
            result.isUsedAgain = commit.text == "Good." && isAsked
            return longest
        }
        result.failures = dictation.client.signals.count { signal in
            if case .error(_, let name, _, _) = signal { name.hasSuffix("EngineFailed") } else { false }
        }
        await caller.connection.close()
        try await dictation.rig.end()
        return result
    }

    /// Calls the service again and again until it is cancelled, and returns the milliseconds of the longest call.
    private static func longestCall(of client: TestClient) async throws -> Double {
        let clock = ContinuousClock()
        var longest = 0.0
        do {
            while true {
                let began = clock.now
                _ = try await client.dictation.value(of: .inUse)
                longest = max(longest, (clock.now - began) / .microseconds(1) / 1000)
                try await Task.sleep(for: .milliseconds(5))
            }
        } catch is CancellationError {
            return longest
        }
    }
}
