import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// Recordings with more than the sound that is recognised, by the real daemon.
@Suite struct RecordingQualityTests {
    /// A cycle of the graph in seconds: how exactly the recording and the recogniser's sound must fit.
    private static let cycle = 0.02

    /// Four times faster than real time: a daemon without optimisation takes long to resample.
    private static let pace = DriverMicrophone.Pace.cycle(every: .milliseconds(5))

    /// PipeWire does not resample then: every sample must be there. The recogniser hears the same at 16 kHz.
    @Test func aMicrophoneOfThatRateIsRecordedBitForBit() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn(
                "studio", pace: Self.pace,
                ["audio.rate": "44100", "node.force-rate": "44100", "node.force-quantum": "882"])
            let folder = try TemporaryDirectory()
            let client = try await TestClient.listening(
                on: rig,
                [
                    "record": try folder.descriptor, "quality": .string("high"),
                    "segment-seconds": .uint32(5),
                ])
            let sound = recordedSound(6 * 44_100)
            try await rig.say(sound + Self.tone(0, 0.5, 44_100), into: microphone)
            let first = try await client.dictation.commit()
            let spoken = Self.tone(500, 0.25, 44_100) + Self.tone(0, 0.25, 44_100)
            try await rig.say(spoken, into: microphone)
            let second = try await client.dictation.commit()
            #expect(second.text == "t500")
            try await client.dictation.stop()

            let segments = try await client.recordedSegments()
            let paths = segments.map { folder.path(of: $0.name) }
            let files = try paths.map { try WaveFile.samples(of: $0, rate: 44_100) }
            #expect(segments.map(\.frames) == files.map(\.count))
            #expect(segments[0].frames == 5 * 44_100)
            #expect(segments.allSatisfy { $0.details[RecordingKey.rate] == .uint32(44_100) })
            let whole = files.flatMap { $0 }
            try expectSamples(sound, in: whole)
            try expectSamples(Array(spoken[1..<11_025]), in: whole)
            try Self.expectAligned([first, second].map(\.details))
            let opened = try await ChildProcess.run(["soxi", "-r", paths[0]])
            #expect(opened.output == "44100\n", "\(opened.errors)")
        }
    }

    /// `packaging/soak recordings` has ten minutes.
    private static let seconds =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_SECONDS"].flatMap { Int($0) } ?? 4

    /// PipeWire resamples then. In a sound that repeats each second every frame must be that of a second before: so none is
    /// missing, doubled or shifted. A second's tones and the rest show the resampler's error.
    @Test func aMicrophoneOfAnotherRateIsResampledWithASmallError() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn(
                "usb", pace: Self.pace,
                ["audio.rate": "48000", "node.force-rate": "48000", "node.force-quantum": "960"])
            let folder = try TemporaryDirectory()
            let client = try await TestClient.listening(
                on: rig, ["record": try folder.descriptor, "quality": .string("high")])
            let second = Self.chord(48_000)
            let before = microphone.played
            for _ in 0..<Self.seconds { microphone.play(second) }
            microphone.play(Self.tone(0, 0.5, 48_000))
            let wanted = before + Self.seconds * 48_000 + 24_000
            try await eventually("all has been said", within: .seconds(30 + 2 * Self.seconds)) {
                microphone.played >= wanted
            }
            let final = try await client.dictation.commit()
            #expect(client.story == [])
            #expect(final.details[FinalKey.dropouts] == .uint64(0))
            try await client.dictation.stop()
            let files = try await client.recordedSegments().map {
                try WaveFile.samples(of: folder.path(of: $0.name), rate: 44_100)
            }
            let whole = files.flatMap { $0 }
            // A tenth of a second later the resampler has settled.
            let start = try #require(whole.firstIndex { abs(Int($0)) > 100 }) + 4410
            try #require(whole.count >= start + (Self.seconds - 1) * 44_100, "\(whole.count) from \(start)")
            let first = Array(whole[start..<start + 44_100])
            var worst = 0
            for number in 1..<Self.seconds - 1 {
                let present = Array(whole[start + number * 44_100..<start + (number + 1) * 44_100])
                if present != first {
                    worst = zip(present, first).reduce(worst) { max($0, abs(Int($1.0) - Int($1.1))) }
                }
            }
            // The last bit.
            #expect(worst <= 1, "differs by \(worst) within \(Self.seconds) s")
            let (errors, rest) = Self.errors(of: first)
            print("44.1 kHz from 48 kHz: \(errors) dB at \(Self.chordFrequencies) Hz, the rest is \(rest) dB")
            for (frequency, error) in zip(Self.chordFrequencies, errors) {
                #expect(abs(error) < 0.1, "\(error) dB at \(frequency) Hz")
            }
            #expect(rest < -70)
        }
    }

    /// As with a Bluetooth headset. Pauses and another microphone are as in a recording at 16 kHz.
    @Test(arguments: [("medium", 22_050), ("high", 44_100)])
    func tonesKeepPitchAndLevelAcrossPausesAndMicrophones(quality: String, rate: Int) async throws {
        try await withRig(tones) { rig in
            let headset = try await rig.plugIn("headset", pace: Self.pace)
            let folder = try TemporaryDirectory()
            let client = try await TestClient.listening(
                on: rig, ["record": try folder.descriptor, "quality": .string(BusText(quality))])
            try await rig.say(Self.tone(1000, 1, 16_000) + Speech.silence(0.2), into: headset)
            try await client.dictation.pause()
            client.beginStep()
            try await client.dictation.resume()
            try await client.state("listening")
            try await rig.say(Self.tone(5000, 1, 16_000) + Speech.silence(0.2), into: headset)
            let first = try await client.dictation.commit()
            let table = try await rig.plugIn("table", pace: Self.pace)
            headset.unplug()
            try await client.signal("the route") { signal in
                if case .routeChanged(_, _, _, let current, _) = signal {
                    current["name"] == .string("table") ? true : nil
                } else {
                    nil
                }
            }
            try await client.state("listening")
            try await rig.say(Self.tone(300, 1, 16_000) + Speech.silence(0.2), into: table)
            let second = try await client.dictation.commit()
            try await client.dictation.stop()

            let segments = try await client.recordedSegments()
            #expect(segments.map(\.block).prefix(2) == [1, 2])
            let files = try segments.map { try WaveFile.samples(of: folder.path(of: $0.name), rate: rate) }
            for (file, frequency) in [(files[0], 1000.0), (files[0], 5000), (files[1], 300)] {
                let level = Self.level(of: frequency, in: file, rate)
                #expect(abs(level) < 0.1, "\(frequency) Hz: \(level) dB")
            }
            try Self.expectAligned([first, second].map(\.details))
            guard case .array(let gaps, _)? = segments[0].details[RecordingKey.gaps],
                case .structure(let gap)? = gaps.first
            else { throw TestFailure("no gaps: \(segments[0])") }
            #expect(gap[2] == .string("paused"))
        }
    }

    // MARK: Sound

    private static let amplitude = 8000.0

    /// Silence for a frequency of 0.
    private static func tone(_ frequency: Double, _ seconds: Double, _ rate: Int) -> [Int16] {
        (0..<Int(seconds * Double(rate))).map { index in
            Int16((amplitude * sin(2 * .pi * frequency * Double(index) / Double(rate))).rounded())
        }
    }

    /// In Hz, all whole, so that the sum repeats each second.
    private static let chordFrequencies = [50, 440, 1000, 4000, 8000, 12_000, 15_000]
    private static let chordAmplitude = 3000.0

    /// A second of the sum of the tones.
    private static func chord(_ rate: Int) -> [Int16] {
        // A table of one second, because a sine for each sample takes long in a debug build.
        let wave = (0..<rate).map { sin(2 * .pi * Double($0) / Double(rate)) }
        return (0..<rate).map { index in
            let sum = chordFrequencies.reduce(0) { $0 + wave[$1 * index % rate] }
            return Int16((chordAmplitude * sum).rounded())
        }
    }

    /// How much louder each tone of the chord is, and the level of everything else relative to the chord, in dB.
    private static func errors(of samples: [Int16]) -> (tones: [Double], rest: Double) {
        let rate = samples.count
        let wave = (0..<rate).map { sin(2 * .pi * Double($0) / Double(rate)) }
        var rest = samples.map { Double($0) }
        let power = rest.reduce(0) { $0 + $1 * $1 }
        var tones: [Double] = []
        for frequency in chordFrequencies {
            var (sine, cosine) = (0.0, 0.0)
            for index in 0..<rate {
                sine += rest[index] * wave[frequency * index % rate]
                cosine += rest[index] * wave[(frequency * index + rate / 4) % rate]
            }
            (sine, cosine) = (2 * sine / Double(rate), 2 * cosine / Double(rate))
            for index in 0..<rate {
                rest[index] -= sine * wave[frequency * index % rate]
                rest[index] -= cosine * wave[(frequency * index + rate / 4) % rate]
            }
            tones.append(20 * log10((sine * sine + cosine * cosine).squareRoot() / chordAmplitude))
        }
        return (tones, 10 * log10(rest.reduce(0) { $0 + $1 * $1 } / power))
    }

    /// The level of a sine wave of this frequency, in dB relative to the tones above: by least squares, in the half second
    /// that has most of it.
    private static func level(of frequency: Double, in samples: [Int16], _ rate: Int) -> Double {
        let length = rate / 2
        let levels = stride(from: 0, to: samples.count - length, by: rate / 10).map { start -> Double in
            var (real, imaginary) = (0.0, 0.0)
            for index in 0..<length {
                let angle = 2 * Double.pi * frequency * Double(index) / Double(rate)
                real += Double(samples[start + index]) * cos(angle)
                imaginary += Double(samples[start + index]) * sin(angle)
            }
            return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(length)
        }
        return 20 * log10((levels.max() ?? 0) / amplitude)
    }

    /// Each block is as long in the recording as for the recogniser.
    private static func expectAligned(_ finals: [[BusText: Value]]) throws {
        var end = 0.0
        for details in finals {
            let stretch = try #require(recordedStretch(details))
            let duration = try #require(details[FinalKey.duration].flatMap { Double($0) })
            #expect(abs(stretch.start - end) < 1e-9)
            #expect(abs(stretch.duration - duration) <= cycle, "\(stretch) for \(duration)")
            end = stretch.start + stretch.duration
        }
    }
}
