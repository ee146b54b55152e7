import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing

/// A dictation in which the worker or the broker is killed after every step. No word is lost or comes twice.
@Suite struct FailureStoryTests {
    private enum Step: CaseIterable {
        case say, pause, resume, commit, discard, look
    }

    private enum Side: CaseIterable {
        case worker, broker
    }

    /// `packaging/soak failures` has 100.
    private static let stories =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_STORIES"].flatMap { Int($0) } ?? 2

    private struct Dictation {
        let rig: Rig
        let client: TestClient
        let microphone: DriverMicrophone
        /// The words of the present block.
        var spoken: [String] = []
        private var tone = 300

        init(on rig: Rig) async throws {
            self.rig = rig
            microphone = try await rig.plugIn()
            client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await state("listening")
        }

        private func state(_ wanted: String) async throws {
            try await eventually("the state \(wanted)") {
                try await client.dictation.getSession().state == wanted
            }
        }

        /// - Returns: the text of a Commit.
        mutating func perform(_ step: Step) async throws -> [String]? {
            switch step {
            case .say:
                let word = "t\(tone)"
                try await client.dictation.resume()
                try await state("listening")
                let sound = Speech.tones(tone) + Speech.silence(1.5)
                tone += 100
                let end = microphone.played + sound.count
                microphone.play(sound)
                spoken.append(word)
                try await eventually("\(word) is understood, and in the journal") {
                    try await client.dictation.getSession().words == spoken && microphone.played >= end
                        && !rig.traces(of: word).isEmpty
                }
            case .pause: try await client.dictation.pause()
            case .resume: try await client.dictation.resume()
            case .commit:
                let text = try await client.dictation.commit().text
                #expect(text == spoken.joined(separator: " "))
                spoken = []
                return text.split(separator: " ").map(String.init)
            case .discard:
                _ = try await client.dictation.cancel()
                spoken = []
            case .look: _ = try await client.dictation.getSession()
            }
            return nil
        }

        mutating func kill(_ side: Side) async throws {
            switch side {
            case .worker: try await rig.killWorker()
            case .broker:
                try await rig.crash()
                try await rig.replaceDaemon()
            }
            // The session is paused. If nothing was uncommitted it may be over, which its client learns.
            let report = try await client.dictation.getSession()
            if report.state == "idle" {
                #expect(spoken.isEmpty, "the session with \(spoken) is over")
                _ = try await client.dictation.start(options: [:])
            } else {
                #expect(report.state == "paused")
            }
            #expect(try await client.dictation.getSession().words == spoken)
        }
    }

    @Test(arguments: 1...stories)
    func aSideIsKilledAfterEveryStep(seed: Int) async throws {
        try await withRig(tones) { rig in
            var random = SplitMix(seed: UInt64(seed))
            var dictation = try await Dictation(on: rig)
            var said = 0
            for number in 0..<Step.allCases.count * 2 {
                // Each step twice, once before each side's end, among steps that say something.
                let step = Step.allCases[number / 2]
                for next in [.say, step] where next == step || Bool.random(using: &random) {
                    _ = try await dictation.perform(next)
                    if next == .say { said += 1 }
                }
                try await dictation.kill(
                    seed.isMultiple(of: 2) == number.isMultiple(of: 2) ? .worker : .broker)
            }
            _ = try await dictation.perform(.say)
            #expect(try await dictation.perform(.commit)?.isEmpty == false)
            #expect(said > 0)
        }
    }

    /// A Start in progress fails with the broker. The next one works.
    @Test func aStartInProgressFailsWithTheBroker() async throws {
        try await withRig("") { rig in
            _ = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            let worker = try rig.workerPid()
            try stopProcess(worker)
            let start = Task.immediate { try await client.dictation.start(options: [:]) }
            try await eventually("Start has been sent") { await client.connection.outgoingBytes == 0 }
            try await rig.crash()
            await #expect(throws: (any Error).self) { _ = try await start.value }
            Glibc.kill(worker, SIGCONT)
            try await rig.replaceDaemon()
            client.forget()
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
        }
    }
}
