import ArgumentParser
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Recognition

/// How long a commit waits for its text, by the length of the block and of the unfinished segment.
struct CommitLatency: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commit",
        abstract: "The time from Commit to its text, in the middle of speech and after it.")

    @Option(parsing: .upToNextOption, help: "Seconds of the blocks.")
    var blocks = [5.0, 30, 120, 300]

    @Option(help: "Commits of each length up to half a minute; a quarter of it beyond.")
    var repetitions = 8

    func run() async throws {
        let dictation = try await Dictation()
        let speech = try await looped(SpeechSet.librivox().samples)
        let changing = try await SpeechSet.conditions().samples
        let microphone = try await dictation.freshMicrophone(pace: .realTime)
        var table = Table(
            "Commit in the middle of speech, at the pace of real time",
            columns: "block", "C loop, one utterance", "dictationd: median", "worst", "longest tail")
        var medians: [Double: Double] = [:]
        var worst = 0.0
        var all: [Double] = []
        let first = try await commit(5, speech, dictation, microphone.1, over: microphone.0)
        for seconds in blocks {
            let count = seconds <= 30 ? repetitions : max(1, repetitions / 4)
            var times: [Double] = []
            var tails: [Double] = []
            for round in 0..<count {
                // Elsewhere in the speech each time: tails differ.
                let offset = 16000 * (round * 7 % 60)
                let block = seconds + Double(round % 4) * 0.7
                let result = try await commit(
                    block, Array(speech[offset...] + speech), dictation, microphone.1, over: microphone.0)
                if result.tail <= 10 { times.append(result.milliseconds) }
                tails.append(result.tail)
            }
            let samples = Samples(times)
            medians[seconds] = samples.median
            all += times
            worst = max(worst, samples.maximum)
            table.add(
                seconds.written(0, "s"), try await loop(seconds, speech), samples.median.written(1, "ms"),
                samples.maximum.written(1, "ms"), Samples(tails).maximum.written(1, "s"))
        }
        table.print()
        var times: [Double] = []
        for round in 0..<repetitions {
            let offset = 16000 * (round * 11 % 100)
            let result = try await commit(
                10, Array(changing[offset...]), dictation, microphone.1, over: microphone.0)
            times.append(result.milliseconds)
        }
        let strange = Samples(times)
        let silent = try await afterSilence(speech, dictation, microphone.1, over: microphone.0)
        try await dictation.rig.end()

        var bar = Bar("Commit against the bar")
        bar.add(
            "without pause, tail ≤ 10 s, median of all", reference: "176–251 ms", Samples(all).median,
            atMost: 40, unit: "ms")
        bar.add("without pause, worst", reference: "", worst.written(1, "ms"))
        bar.add(
            "without pause, voices and settings that change", reference: "",
            "\(strange.median.written(1, "ms")), at most \(strange.maximum.written(1, "ms"))")
        if let short = blocks.min().flatMap({ medians[$0] }), let long = blocks.max().flatMap({ medians[$0] })
        {
            bar.add(
                "longest block against the shortest", reference: "38 ×", long / short, atMost: 1.2, unit: "×",
                decimals: 2)
        }
        bar.add(
            "after 250 ms of silence, median", reference: "0.1 ms", silent.median, atMost: 5, unit: "ms")
        bar.add(
            "first over an unknown microphone, tail of \(first.tail.written(1, "s"))", reference: "",
            first.milliseconds.written(1, "ms"))
        bar.print()
    }

    /// Long enough for every offset.
    private func looped(_ samples: [Int16]) -> [Int16] {
        (0..<4).flatMap { _ in samples }
    }

    private func commit(
        _ seconds: Double, _ speech: [Int16], _ dictation: Dictation, _ microphone: DriverMicrophone,
        over name: String
    ) async throws -> (milliseconds: Double, tail: Double) {
        let count = Int(seconds * 16000)
        let block = (0..<count).map { speech[$0 % speech.count] }
        return try await dictation.session(over: name) {
            // What follows goes on after the commit: no silence gives the end away.
            let end = microphone.played + count
            microphone.play(block + speech.prefix(16000))
            try await eventually("the block was said", within: .seconds(900)) { microphone.played >= end }
            let clock = ContinuousClock()
            let began = clock.now
            _ = try await dictation.client.dictation.commit()
            let milliseconds = (clock.now - began) / .microseconds(1) / 1000
            try await eventually("all was said") { microphone.played >= end + 16000 }
            return (milliseconds, tail(of: block))
        }
    }

    private func afterSilence(
        _ speech: [Int16], _ dictation: Dictation, _ microphone: DriverMicrophone, over name: String
    ) async throws -> Samples {
        var times: [Double] = []
        for round in 0..<repetitions {
            let block = Array(speech[(round * 16000)...].prefix(80_000)) + Speech.silence(0.5)
            let time = try await dictation.session(over: name) {
                try await dictation.say(block, into: microphone)
                let clock = ContinuousClock()
                let began = clock.now
                _ = try await dictation.client.dictation.commit()
                return (clock.now - began) / .microseconds(1) / 1000
            }
            times.append(time)
        }
        return Samples(times)
    }

    /// Seconds of the segment that is open at the end.
    private func tail(of block: [Int16]) -> Double {
        var gate = SpeechGate()
        gate.settings.longest = 20
        var start: Int?
        for event in gate.process(block) {
            switch event {
            case .onset(let position), .cut(let position): start = position
            case .end: start = nil
            case .speech: break
            }
        }
        return start.map { Double(block.count - $0) / 16000 } ?? 0
    }

    private func loop(_ seconds: Double, _ speech: [Int16]) async throws -> String {
        let folder = try TemporaryDirectory()
        let count = Int(seconds * 16000)
        let block = SpeechSet.Utterance(reference: "", samples: (0..<count).map { speech[$0 % speech.count] })
        let file = try SpeechSet(name: "block", utterances: [block]).write(into: folder)
        let result = try await Contender.loop(splits: false).decode(file)
        return result.errors.split(separator: "\n").last.map { String($0.replacing("end ", with: "")) } ?? ""
    }
}
