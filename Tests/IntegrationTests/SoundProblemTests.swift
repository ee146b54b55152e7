import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// What is wrong with the sound is said while it is wrong.
@Suite(.serialized) struct SoundProblemTests {
    /// The sound of a microphone with a problem, longer than any test.
    enum Fault: CaseIterable {
        case zeros, oneBit, quiet, loud

        var problem: String {
            switch self {
            case .zeros, .oneBit: "input-silent"
            case .quiet: "input-too-quiet"
            case .loud: "clipping"
            }
        }

        func sound() throws -> [Int16] {
            let seconds = 120
            switch self {
            case .zeros: return []
            case .oneBit: return (0..<seconds * 16000).map { Int16($0 / 7 % 2) }
            case .quiet: return try Self.repeated(Speech.john().map { $0 / 100 }, seconds)
            case .loud: return try Self.repeated(Speech.john().map { Int16(clamping: Int($0) * 30) }, seconds)
            }
        }

        private static func repeated(_ sound: [Int16], _ seconds: Int) -> [Int16] {
            (0..<seconds * 16000 / sound.count).flatMap { _ in sound }
        }
    }

    /// Waits for ProblemsChanged with these in the present step. Returns the seconds of sound before it, by its levels.
    @discardableResult
    private func problems(_ wanted: [String], _ client: TestClient) async throws -> Double {
        try await client.signal("\(wanted)") { signal in
            if case .problemsChanged(_, wanted, _) = signal { true } else { nil }
        }
        let before = client.signalsOfStep.prefix { signal in
            if case .problemsChanged(_, wanted, _) = signal { false } else { true }
        }
        return Double(before.count { if case .level = $0 { true } else { false } }) / 20
    }

    @Test(arguments: Fault.allCases)
    func aProblemOfTheSoundIsToldWithinTwoSeconds(fault: Fault) async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            microphone.play(try fault.sound())
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: ["levels": .bool(true)])
            #expect(try await problems([fault.problem], client) <= 2)
            #expect(try await client.dictation.getSession()[SessionKey.problems] == Value([fault.problem]))
        }
    }

    @Test func muteAndVolumeZeroAreToldAndEnd() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            microphone.play((0..<300).flatMap { _ in Speech.tone(500, seconds: 1) })
            let client = try await TestClient.listening(on: rig, ["levels": .bool(true)])
            client.beginStep()
            try await rig.audio.mute("microphone", true)
            try await problems(["muted"], client)
            #expect(try await client.dictation.listRoutes().first?[RouteKey.muted] == .bool(true))
            client.beginStep()
            try await rig.audio.mute("microphone", false)
            try await problems([], client)
            client.beginStep()
            try await rig.audio.setVolume("microphone", 0)
            try await problems(["no-volume"], client)
            #expect(try await client.dictation.listRoutes().first?[RouteKey.noVolume] == .bool(true))
            client.beginStep()
            try await rig.audio.setVolume("microphone", 1)
            try await problems([], client)
            #expect(client.story == [])
        }
    }

    /// A balanced cable in a stereo socket.
    @Test func oneChannelIsRecognisedWhereTheMixCancels() async throws {
        try await withRig(tones) { rig in
            let sound = (0..<60).flatMap { _ in Speech.tones(500) }.flatMap { [$0, -$0] }
            let player = try rig.audio.playAsSource(sound, channels: 2, named: "balanced")
            defer { player.kill() }
            let client = try await TestClient(on: rig)
            try await eventually("the microphone is there") {
                try await client.dictation.listRoutes().contains { $0[RouteKey.default] == .bool(true) }
            }
            _ = try await client.dictation.start(options: [:])
            try await problems(["antiphase"], client)
            try await eventually("its tones are recognised") { client.text(of: 1).contains("t500 t500") }
            #expect(client.story == [])
        }
    }

    @Test func theEndOfAProblemIsToldAndTheTextHasIt() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await problems(["input-silent"], client)
            client.beginStep()
            try await rig.say(Speech.tone(500, seconds: 0.5) + Speech.silence(1), into: microphone)
            try await problems([], client)
            let (_, text, details) = try await client.dictation.commit()
            #expect(text == "t500")
            #expect(details[FinalKey.problems] == Value(["input-silent"]))
        }
    }

    @Test func listenShowsTheProblemWhileItLasts() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let terminal = try PseudoTerminal(
                [executable("dictation-cli"), "listen"], environment: rig.environment, columns: 100)
            try await terminal.shows("There is no sound at all")
            microphone.play((0..<60).flatMap { _ in Speech.tone(500, seconds: 1) })
            try await eventually("the line is gone") {
                !terminal.screen.lines.contains { $0.contains("There is no sound") }
            }
            terminal.press("q")
            #expect(try await terminal.exitCode() == 0)
        }
    }

    @Test func transcribeSaysWhatIsWrongWithAFile() async throws {
        try await withRig(tones) { rig in
            let tone = Speech.tone(500, seconds: 3)
            let files: [(name: String, channels: Int, sound: [Int16], said: String)] = [
                ("antiphase.wav", 2, tone.flatMap { [$0, -$0] }, "cancel each other"),
                ("silent.wav", 1, Speech.silence(3), "no sound at all"),
                ("quiet.wav", 1, try Speech.john().map { $0 / 100 }, "very quiet"),
                ("clean.wav", 1, Speech.silence(4) + tone, ""),
            ]
            for (name, channels, sound, said) in files {
                let file = rig.home.path(of: name)
                try WaveFile.write(sound, channels: channels, to: file)
                let result = try await ChildProcess.run(
                    [executable("dictation-cli"), "transcribe", file], environment: rig.environment)
                #expect(result.status == .exited(0))
                #expect(
                    said.isEmpty ? result.errors == "" : result.errors.contains(said), "\(name): \(result)")
                #expect(
                    result.errors.split(separator: "\n").count == (said.isEmpty ? 0 : 1), "\(result.errors)")
                if name == "antiphase.wav" { #expect(result.output == "t500\n") }
            }
            let path = rig.home.path(of: "antiphase.flac")
            _ = try await rig.output(of: ["sox", rig.home.path(of: "antiphase.wav"), path])
            let result = try await ChildProcess.run(
                [executable("dictation-cli"), "transcribe", path], environment: rig.environment)
            #expect(result.output == "t500\n" && result.errors.contains("cancel each other"), "\(result)")
        }
    }
}
