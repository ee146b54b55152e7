import DictationTestKit
import EventLoop
import Foundation
import Testing

@testable import Recognition

struct AudioDecoderTests {
    fileprivate static func wave(
        _ samples: [Int16], rate: Int, bits: Int = 16, float: Bool = false, channels: Int = 1,
        extensible: Bool = false
    ) -> [UInt8] {
        var data: [UInt8] = []
        for sample in samples {
            for _ in 0..<channels {
                switch (bits, float) {
                case (8, _): data.append(UInt8(Int(sample) / 256 + 128))
                case (24, _): data += bytes(UInt32(bitPattern: Int32(sample) << 8), 3)
                case (32, false): data += bytes(UInt32(bitPattern: Int32(sample) << 16), 4)
                case (32, true): data += bytes((Float(sample) / 32768).bitPattern, 4)
                case (64, _):
                    let pattern = (Double(sample) / 32768).bitPattern
                    data +=
                        bytes(UInt32(truncatingIfNeeded: pattern), 4)
                        + bytes(UInt32(truncatingIfNeeded: pattern >> 32), 4)
                default: data += bytes(UInt32(UInt16(bitPattern: sample)), 2)
                }
            }
        }
        let tag: UInt32 = float ? 3 : 1
        let frame = UInt32(channels * bits / 8)
        var format = bytes(extensible ? 0xfffe : tag, 2) + bytes(UInt32(channels), 2) + bytes(UInt32(rate), 4)
        format += bytes(UInt32(rate) * frame, 4) + bytes(frame, 2) + bytes(UInt32(bits), 2)
        if extensible {
            format +=
                bytes(22, 2) + bytes(UInt32(bits), 2) + bytes(3, 4) + bytes(tag, 2)
                + Array(repeating: 0, count: 14)
        }
        let list = Array("LIST".utf8) + bytes(5, 4) + [1, 2, 3, 4, 5, 0]
        return Array("RIFF".utf8) + bytes(0, 4) + Array("WAVEfmt ".utf8) + bytes(UInt32(format.count), 4)
            + format
            + list + Array("data".utf8) + bytes(UInt32(data.count), 4) + data + Array("trailer".utf8)
    }

    private static func bytes(_ value: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }

    @Test(arguments: [(8, false), (16, false), (24, false), (32, false), (32, true), (64, true)], [1, 2, 6])
    func readsEveryEncoding(
        encoding: (bits: Int, float: Bool), channels: Int
    ) throws {
        let samples = Sound.tone(440, 0.3)
        let (bits, float) = encoding
        let read = try Sound.decode(
            Self.wave(
                samples, rate: 16000, bits: bits, float: float, channels: channels, extensible: bits == 24))
        #expect(read.count == samples.count)
        let tolerance = bits == 8 ? 256 : 0
        #expect(zip(read, samples).allSatisfy { abs(Int($0) - Int($1)) <= tolerance })
    }

    @Test(arguments: [6000, 8000, 11025, 22050, 24000, 32000, 44100, 48000, 88200, 96000, 192_000])
    func resamplingKeepsLengthPitchAndLevel(rate: Int) throws {
        let count = rate * 2
        let tone = (0..<count).map { Int16(10000 * sin(2 * .pi * 1000 * Double($0) / Double(rate))) }
        let read = try Sound.decode(Self.wave(tone, rate: rate))
        #expect(read.count == 32000)
        let errors = read.indices.dropFirst(200).dropLast(200).map { index in
            Double(read[index]) - 10000 * sin(2 * .pi * 1000 * Double(index) / 16000)
        }
        let noise = errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)
        #expect(noise < 10, "more than 67 dB below the tone, where 16 bits round")
    }

    @Test func resamplingDoesNotAlias() throws {
        let tone = (0..<96000).map { Int16(10000 * sin(2 * .pi * 11000 * Double($0) / 48000)) }
        let read = try Sound.decode(Self.wave(tone, rate: 48000))
        #expect(read.dropFirst(200).dropLast(200).allSatisfy { abs(Int($0)) < 20 })
    }

    @Test func theSamplesDoNotDependOnTheSplitting() throws {
        let file = Self.wave(Sound.tone(440, 1), rate: 44100, channels: 2)
        let whole = try Sound.decode(file)
        var decoder = AudioDecoder()
        var pieces: [Int16] = []
        var generator = SplitMix(seed: 5)
        var rest = file[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...3000, using: &generator)
            pieces += try decoder.decode(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        pieces += try decoder.finish()
        let isSame = pieces == whole
        #expect(isSame)
    }

    /// Whatever follows the announced samples, without end, is not kept.
    @Test(arguments: [1, 2]) func endsAfterTheAnnouncedSamples(channels: Int) throws {
        let samples = Sound.tone(440, 0.3)
        var decoder = AudioDecoder()
        var read = try decoder.decode(Self.wave(samples, rate: 16000, channels: channels))
        #expect(decoder.isAtEnd)
        read += try decoder.decode([UInt8](repeating: 0, count: 100_000))
        read += try decoder.finish()
        #expect(read.count == samples.count)
    }

    @Test func readsRawSpeech() throws {
        let path = "/usr/share/pocketsphinx/test/data/goforward.raw"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try Sound.decode([UInt8](bytes)).count == bytes.count / 2)
        #expect(try Sound.decode([]).isEmpty)
        #expect(try Sound.decode(Array(repeating: 0, count: 10000)).count == 5000)
    }

    @Test func refusesWhatIsNotAudio() throws {
        var generator = SplitMix(seed: 1)
        let random = (0..<8192).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let text = Array(String(repeating: "This is no audio. ", count: 500).utf8)
        let binary = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "/bin/true")))
        let damaged = Array(Self.wave(Sound.tone(440, 1), rate: 16000).prefix(30))
        for bytes in [random, text, binary, Array(text.prefix(20)), damaged] {
            #expect(throws: RecognitionError.self) { try Sound.decode(bytes) }
        }
        #expect(throws: RecognitionError.self) { try Sound.decode(Self.wave([0], rate: 200_000)) }
        #expect(throws: RecognitionError.self) { try Sound.decode(Self.wave([0], rate: 16000, channels: 0)) }
    }

    /// A balanced cable in a stereo socket: the mean of the channels is silence.
    @Test func usesOneChannelWhereTheMeanCancels() throws {
        let tone = Sound.tone(440, 1)
        var bytes = Self.wave(Array(repeating: 0, count: tone.count), rate: 16000, channels: 2)
        let data = try #require(bytes.firstRange(of: Array("data".utf8))).upperBound + 4
        for (index, sample) in tone.enumerated() {
            for (channel, value) in [sample, -sample].enumerated() {
                let pattern = UInt32(UInt16(bitPattern: value))
                let offset = data + index * 4 + channel * 2
                bytes.replaceSubrange(offset..<offset + 2, with: Self.bytes(pattern, 2))
            }
        }
        let read = try Sound.decode(bytes)
        #expect(read.count == tone.count)
        let (heard, said) = (read.dropFirst(1600), tone.dropFirst(1600))
        let isTone = zip(heard, said).allSatisfy { abs(Int($0)) == abs(Int($1)) }
        #expect(isTone)
        #expect(heard.contains { abs(Int($0)) > 1000 })
    }

    /// Sox says what the bytes of telephones mean.
    @Test(arguments: ["a-law", "u-law"]) func readsCompandedSamples(encoding: String) async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/companded.wav"
        let linear = folder.path + "/linear.wav"
        let tone = ["synth", "0.5", "sine", "440", "gain", "-3"]
        let made = try await ChildProcess.run(
            ["sox", "-n", "-r", "16000", "-c", "1", "-e", encoding, path] + tone)
        try #require(made.status == .exited(0), "\(made.errors)")
        let converted = try await ChildProcess.run(["sox", path, "-e", "signed-integer", "-b", "16", linear])
        try #require(converted.status == .exited(0), "\(converted.errors)")
        let (read, expected) = try (decode(path), decode(linear))
        #expect(read.count == 8000)
        // Sox dithers.
        let isSame = zip(read, expected).allSatisfy { abs(Int($0) - Int($1)) <= 2 }
        #expect(isSame)
    }

    @Test(arguments: ["RF64", "BW64"]) func readsLongFiles(kind: String) throws {
        let samples = Sound.tone(440, 0.3)
        let wave = Self.wave(samples, rate: 16000)
        let size = UInt32(samples.count * 2)
        // The size of the samples is in another chunk.
        let sizes = Self.bytes(0, 8) + Self.bytes(size, 4) + Self.bytes(0, 4) + Self.bytes(0, 12)
        var file = Array(kind.utf8) + Self.bytes(.max, 4) + Array("WAVEds64".utf8) + Self.bytes(28, 4) + sizes
        file += wave.dropFirst(12)
        let data = try #require(file.firstRange(of: Array("data".utf8))).upperBound
        file.replaceSubrange(data..<data + 4, with: Self.bytes(.max, 4))
        let read = try Sound.decode(file)
        #expect(read == samples)
    }

    @Test func anUnusualRateKeepsTheLength() throws {
        let read = try Sound.decode(Self.wave([Int16](repeating: 100, count: 191_999), rate: 191_999))
        #expect((15_999...16_001).contains(read.count))
    }

    @Test(arguments: [
        "riff\u{2e}", "BW64", "OggS", "fLaC", "ID3", "\0\0\0\u{20}ftypM4A ", "SQLite format 3",
    ])
    func knownFilesAreNotTakenForRawSound(magic: String) {
        let silence = [UInt8](repeating: 0, count: 8192)
        #expect(throws: RecognitionError.self) { try Sound.decode(Array(magic.utf8) + silence) }
    }

    private func decode(_ path: String) throws -> [Int16] {
        try Sound.decode([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
    }
}

struct AudioInputTests {
    private func open(_ descriptor: Int32, _ log: InputLog) throws -> AudioInput {
        try AudioInput(Descriptor(owning: descriptor)) { log.add($0) }
    }

    @Test func readsAFileToItsEnd() throws {
        let path = "/usr/share/pocketsphinx/test/data/numbers.raw"
        let log = EventLog()
        let inputLog = InputLog()
        let transcription = EngineCatalog.scripted().open(into: log)
        let input = try open(Glibc.open(path, O_RDONLY), inputLog)
        input.feed(transcription)
        input.resume()
        #expect(inputLog.wait { $0.last == .ended })
        #expect(transcription.framesIn == 128742 / 2)
    }

    /// A pipe whose header announces two samples, and that is never closed.
    @Test func endsAfterTheSamplesThatTheHeaderAnnounces() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { Glibc.close(ends[1]) }
        let inputLog = InputLog()
        let transcription = EngineCatalog.scripted().open(into: EventLog())
        let input = try open(ends[0], inputLog)
        input.feed(transcription)
        input.resume()
        let wave = AudioDecoderTests.wave([1, 2], rate: 16000)
        #expect(Glibc.write(ends[1], wave, wave.count) == wave.count)
        #expect(inputLog.wait { $0.last == .ended })
        #expect(transcription.framesIn == 2)
    }

    @Test func pausingKeepsTheRestOfAPipe() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let inputLog = InputLog()
        let log = EventLog()
        let transcription = EngineCatalog.scripted().open(into: log)
        let input = try open(ends[0], inputLog)
        input.feed(transcription)
        input.resume()
        let speech = try Sound.recording("goforward.raw")
        func write(_ samples: ArraySlice<Int16>) {
            let bytes = samples.flatMap {
                [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
            }
            #expect(Glibc.write(ends[1], bytes, bytes.count) == bytes.count)
        }
        write(speech[..<10000])
        #expect(inputLog.wait { $0.count > 1 })
        input.pause()
        write(speech[10000..<20000])
        input.resume()
        Glibc.close(ends[1])
        #expect(inputLog.wait { $0.last == .ended })
        #expect(transcription.framesIn == 20000)
    }

    @Test func refusesFoldersDevicesAndText() throws {
        for path in ["/usr", "/dev/null", "/etc/passwd"] {
            let inputLog = InputLog()
            let input = try open(Glibc.open(path, O_RDONLY), inputLog)
            #expect(
                inputLog.wait {
                    if case .refused(let error) = $0.first { error.kind == .unsupportedFormat } else { false }
                })
            input.cancel()
        }
    }

    @Test func aFileIsRecordedAndAPipeIsNot() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let file = Glibc.open("/usr/share/pocketsphinx/test/data/numbers.raw", O_RDONLY)
        for (descriptor, isRecorded) in [(file, true), (ends[0], false)] {
            let inputLog = InputLog()
            let input = try open(descriptor, inputLog)
            #expect(inputLog.wait { $0.first == .accepted(isRecorded: isRecorded) })
            input.cancel()
        }
        Glibc.close(ends[1])
    }

    @Test func aPipeWithoutAudioFails() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let inputLog = InputLog()
        let input = try open(ends[0], inputLog)
        let log = EventLog()
        input.feed(EngineCatalog.scripted().open(into: log))
        input.resume()
        #expect(write(ends[1], "No audio.", 9) == 9)
        Glibc.close(ends[1])
        #expect(
            inputLog.wait {
                if case .failed(let error) = $0.last { error.kind == .unsupportedFormat } else { false }
            })
    }

    @Test func keepsAudioForTheNextTranscription() throws {
        let inputLog = InputLog()
        let input = try open(
            Glibc.open("/usr/share/pocketsphinx/test/data/numbers.raw", O_RDONLY), inputLog)
        let lost = EngineCatalog.scripted(.init(loading: true)).open(into: EventLog())
        input.feed(lost)
        input.resume()
        let wakeSignal = WakeSignal()
        let deadline = ContinuousClock.now + .seconds(60)
        while lost.append([]), ContinuousClock.now < deadline { wakeSignal.wait(within: 0.005) }
        let taken = lost.framesIn
        let next = EngineCatalog.scripted().open(into: EventLog())
        input.feed(next)
        #expect(inputLog.wait { $0.last == .ended })
        #expect(taken + next.framesIn == 128742 / 2)
        #expect(lost.framesIn == taken)
    }

    @Test func cancellingEndsReadingAnIdlePipe() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        weak var weakInput: AudioInput?
        do {
            let input = try open(ends[0], InputLog())
            weakInput = input
            input.feed(EngineCatalog.scripted().open(into: EventLog()))
            input.resume()
            input.cancel()
        }
        let deadline = ContinuousClock.now + .seconds(60)
        while weakInput != nil && ContinuousClock.now < deadline { sched_yield() }
        #expect(weakInput == nil)
        Glibc.close(ends[1])
    }
}
