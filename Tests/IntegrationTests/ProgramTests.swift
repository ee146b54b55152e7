import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing

/// dictation-cli and the real daemon.
@Suite struct ProgramTests {
    private func program(_ rig: Rig, _ arguments: String...) -> [String] {
        [executable("dictation-cli"), "--address", rig.bus.address] + arguments
    }

    /// On a screen on which the text takes several lines.
    @Test func listenShowsPartialAndFinalText() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn(pace: .spoken)
            let terminal = try PseudoTerminal(
                program(rig, "listen"), environment: rig.environment, columns: 50)
            try await terminal.shows("● Listening")
            let speech = try Speech.amiable() + Speech.silence(1)
            let end = microphone.played + speech.count
            microphone.play(speech)
            // Volatile text is wrapped at spaces; final text by the terminal, at any character.
            try await eventually("the words are on the screen") {
                ["", " "].contains {
                    terminal.screen.lines.joined(separator: $0).contains("might have been made")
                }
            }
            try await eventually("all has been said") { microphone.played >= end }
            terminal.press("\n")
            terminal.press("q")
            #expect(try await terminal.exitCode() == 0)
            let text = terminal.screen.lines.joined()
            #expect(WordErrorRate(of: text, reference: Speech.amiableWords).rate < 0.4, "\(text)")
            #expect(terminal.isCooked)
            try await eventually("the microphone is closed") { try await !rig.isCapturing() }
        }
    }

    @Test func listenReportsInterruptions() async throws {
        try await withRig(tones) { rig in
            let terminal = try PseudoTerminal(
                program(rig, "listen"), environment: rig.environment, columns: 90)
            try await terminal.shows("There is no microphone; waiting until a microphone is plugged in.")
            let microphone = try await rig.plugIn()
            try await terminal.shows("● Listening")
            #expect(!terminal.screen.lines.joined().contains("no microphone"))
            try await rig.say(Speech.tones(500), into: microphone)
            try await terminal.shows("t500")
            terminal.press(" ")
            try await terminal.shows("Paused")
            try await eventually("the microphone is closed") { try await !rig.isCapturing() }
            terminal.press(" ")
            try await terminal.shows("● Listening")
            terminal.press("q")
            #expect(try await terminal.exitCode() == 0)
            #expect(terminal.screen.lines.filter { !$0.isEmpty } == ["t500"])
        }
    }

    @Test func listenReportsCallsAndPreemption() async throws {
        try await withRig(tones) { rig in
            try await rig.plugIn()
            let terminal = try PseudoTerminal(
                program(rig, "listen"), environment: rig.environment, columns: 90)
            try await terminal.shows("● Listening")
            func expectThatItIsOver() async throws {
                try await terminal.shows("● Listening")
                #expect(!terminal.screen.lines.joined().contains("waiting until"))
            }
            let call = try rig.audio.record(role: "Communication")
            try await terminal.shows("A call has the microphone; waiting until the call ends.")
            call.kill()
            try await expectThatItIsOver()
            let other = try await TestClient(on: rig)
            _ = try await other.dictation.start(options: [:])
            try await terminal.shows("Another application is dictating; waiting until it pauses or stops.")
            try await terminal.shows("▲ Interrupted")
            try await other.dictation.pause()
            try await expectThatItIsOver()
            terminal.press("q")
            #expect(try await terminal.exitCode() == 0)
        }
    }

    @Test func theMicrophoneClosesWhenListenIsKilled() async throws {
        try await withRig(tones) { rig in
            try await rig.plugIn()
            let terminal = try PseudoTerminal(program(rig, "listen"), environment: rig.environment)
            try await terminal.shows("● Listening")
            terminal.send(SIGKILL)
            try await eventually("the microphone is closed") { try await !rig.isCapturing() }
        }
    }

    @Test func transcribePrintsTheTextOfFiles() async throws {
        try await withRig { rig in
            let speech = "\(WaveFile.speech)/librivox/sense_and_sensibility_01_austen_64kb-0870.wav"
            let result = try await ChildProcess.run(
                program(rig, "transcribe", "/tmp", speech, "/etc/passwd"), environment: rig.environment)
            #expect(result.status == .exited(65))
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == 1)
            #expect(WordErrorRate(of: String(lines[0]), reference: Speech.johnsWords).rate < 0.4, "\(lines)")
            #expect(result.errors.contains("/tmp: "))
            #expect(result.errors.contains("/etc/passwd: "))
        }
    }

    @Test func transcribeReadsAPipe() async throws {
        try await withRig { rig in
            let speech = "\(WaveFile.speech)/librivox/sense_and_sensibility_01_austen_64kb-0870.wav"
            let command = #"cat "$1" | "$0" --address "$2" transcribe - --json"#
            let result = try await ChildProcess.run(
                ["bash", "-c", command, executable("dictation-cli"), speech, rig.bus.address],
                environment: rig.environment)
            #expect(result.status == .exited(0), "\(result.errors)")
            let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            #expect((json?["words"] as? [Any])?.isEmpty == false)
            #expect(json?["auto"] as? Bool == true)
        }
    }

    @Test func commandsControlALingeringSession() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            _ = try await run(rig, "start")
            try await eventually("it listens") { try await run(rig, "status").contains("Listening") }
            #expect(try await run(rig, "routes").contains("in use"))
            try await rig.say(Speech.tones(500), into: microphone)
            try await eventually("it has understood") { try await run(rig, "status").contains("t500") }
            #expect(try await run(rig, "commit") == "t500\n")
            _ = try await run(rig, "pause")
            try await eventually("it is paused") { try await run(rig, "status").contains("Paused") }
            _ = try await run(rig, "resume")
            _ = try await run(rig, "cancel")
            _ = try await run(rig, "stop")
            #expect(try await run(rig, "status") == "There is no session.\n")
        }
    }

    private func run(_ rig: Rig, _ arguments: String...) async throws -> String {
        let result = try await ChildProcess.run(
            [executable("dictation-cli"), "--address", rig.bus.address] + arguments,
            environment: rig.environment)
        #expect(result.status == .exited(0), "\(arguments): \(result.errors)")
        return result.output
    }

    @Test func toggleControlsABackgroundSession() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            #expect(try await run(rig, "toggle").isEmpty)
            try await eventually("it listens") { try await run(rig, "status").contains("Listening") }
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await run(rig, "toggle") == "t500\n")
            #expect(try await !rig.isCapturing())
            #expect(try await run(rig, "status").contains("Paused"))
            #expect(try await run(rig, "toggle").isEmpty)
            try await eventually("it listens again") { try await run(rig, "status").contains("Listening") }
            try await rig.say(Speech.tones(600), into: microphone)
            #expect(try await run(rig, "commit", "--stop") == "t600\n")
            #expect(try await run(rig, "status") == "There is no session.\n")
            try await eventually("the microphone is closed") { try await !rig.isCapturing() }
        }
    }

    @Test func stopAllEndsTheSessionsOfOtherPrograms() async throws {
        try await withRig(tones) { rig in
            try await rig.plugIn()
            let watcher = try await TestClient(on: rig)
            try await watcher.dictation.subscribe(options: [:])
            let listener = try rig.start(program(rig, "listen"))
            // The latest to start has the microphone.
            try await watcher.state("listening")
            _ = try await run(rig, "start")
            let other = try await TestClient.listening(on: rig)
            _ = try await run(rig, "stop", "--all")
            #expect(try await run(rig, "status") == "There is no session.\n")
            try await other.signal("its end") { if case .stopped = $0 { true } else { nil } }
            #expect(try await listener.exitStatus() == .exited(0))
            try await eventually("the microphone is closed") { try await !rig.isCapturing() }
        }
    }

    @Test func listenIntoAPipeWritesEachBlockAsItEnds() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            try await client.dictation.subscribe(options: [:])
            let listener = try rig.start(program(rig, "listen"))
            try await client.state("listening")
            for frequency in [500, 600] {
                try await rig.say(Speech.tones(frequency) + Speech.silence(2), into: microphone)
                #expect(try await listener.line(of: .output) { $0 == "t\(frequency)" } == "t\(frequency)")
            }
            listener.send(SIGINT)
            #expect(try await listener.exitStatus() == .exited(0))
            #expect(listener.text(of: .output) == "t500\nt600\n")
        }
    }

    @Test func listenContinuesWithTheNextDaemon() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let terminal = try PseudoTerminal(program(rig, "listen"), environment: rig.environment)
            try await terminal.shows("● Listening")
            try await rig.say(Speech.tones(500), into: microphone)
            try await terminal.shows("t500")
            rig.daemon.kill()
            try await terminal.shows("service has ended")
            try await rig.replaceDaemon()
            try await terminal.shows("● Listening")
            terminal.press("q")
            #expect(try await terminal.exitCode() == 0)
            #expect(terminal.screen.lines.contains("t500"))
        }
    }

    @Test func doctorFindsNoProblemsOnAHealthyMachine() async throws {
        try await withRig { rig in
            try await rig.plugIn()
            try await eventually("the service has noticed the microphone") {
                try await rig.output(of: program(rig, "routes")).contains("microphone")
            }
            let result = try await ChildProcess.run(program(rig, "doctor"), environment: rig.environment)
            #expect(result.status == .exited(0), "\(result.output)")
            #expect(result.output.contains("✓ The settings are valid.\n"))
        }
    }

    @Test func doctorShowsTheErrorsInTheSettings() async throws {
        try await withRig { rig in
            let folder = try TemporaryDirectory()
            let file = try folder.write(
                "language: en-US\nfromatting: plain\nspeech-seconds: long\n",
                to: "dictation/dictation.yaml")
            let result = try await ChildProcess.run(
                program(rig, "doctor"),
                environment: rig.environment.merging(["XDG_CONFIG_HOME": folder.path]) { $1 })
            #expect(result.status == .exited(69))
            for line in ["\(file):2: ", "\(file):3: "] {
                #expect(
                    result.output.contains("✗ The settings have an error: \(line)"), "\(result.output)")
            }
        }
    }
}
