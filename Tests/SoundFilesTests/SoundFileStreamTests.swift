import CSndFile
import DictationTestKit
import EventLoop
import Foundation
import Testing

@testable import SoundFiles

@Suite struct SoundFileStreamTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A tone of two seconds, in two channels.
    private func tone(_ name: String, _ format: String...) async throws -> String {
        let path = folder.path(of: name)
        let made = try await ChildProcess.run(
            ["sox", "-n", "-r", "44100", "-c", "2"] + format + [
                path, "synth", "2", "sine", "440", "gain", "-6",
            ])
        try #require(made.status == .exited(0), "\(made.errors)")
        return path
    }

    /// A tone of two seconds, in two channels, written by libsndfile: sox does not write these kinds everywhere.
    private func tone(_ name: String, format: Int, rate: Int) throws -> String {
        let path = folder.path(of: name)
        var info = SF_INFO()
        info.format = Int32(format)
        info.samplerate = Int32(rate)
        info.channels = 2
        let file = try #require(sf_open(path, Int32(SFM_WRITE), &info))
        let frames = (0..<2 * rate).flatMap { frame -> [Float] in
            let value = 0.5 * sinf(2 * .pi * 440 * Float(frame) / Float(rate))
            return [value, value]
        }
        #expect(sf_writef_float(file, frames, sf_count_t(2 * rate)) == 2 * rate)
        sf_close(file)
        return path
    }

    private func open(_ path: String) throws -> Descriptor {
        let number = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        try #require(number >= 0)
        return Descriptor(owning: number)
    }

    private func stream(_ path: String) throws -> SoundFileStream? {
        try SoundFileStream(of: open(path)) { _ in }
    }

    private func bytes(of stream: SoundFileStream) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(stream.stream.rawValue, &buffer, buffer.count)
            try #require(count >= 0)
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
        }
    }

    private func samples(in bytes: some Collection<UInt8>) -> [Float] {
        let bytes = Array(bytes)
        return stride(from: 0, to: bytes.count - 3, by: 4).map { offset in
            Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * $1) })
        }
    }

    @Test(arguments: ["flac", "ogg", "aiff", "au", "w64", "caf"])
    func decodesFilesOfEveryKind(kind: String) async throws {
        try expectTone(in: try await tone("tone.\(kind)"), rate: 44100)
    }

    @Test func decodesMP3() throws {
        let format = SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III
        try expectTone(in: try tone("tone.mp3", format: format, rate: 44100), rate: 44100)
    }

    @Test func decodesOpus() throws {
        let format = SF_FORMAT_OGG | SF_FORMAT_OPUS
        try expectTone(in: try tone("tone.opus", format: format, rate: 48000), rate: 48000)
    }

    private func expectTone(in path: String, rate: Int) throws {
        let stream = try #require(try stream(path))
        let bytes = try bytes(of: stream)
        #expect(bytes.starts(with: StreamHeader.wave(rate: rate, channels: 2)))
        let samples = samples(in: bytes.dropFirst(44))
        let seconds = Double(samples.count) / 2 / Double(rate)
        #expect((1.95...2.1).contains(seconds), "\(seconds) s")
        let loudest = samples.map(abs).max() ?? 0
        #expect((0.43...0.57).contains(loudest), "half of full scale")
    }

    /// The mean of such channels is silence: the service uses one of them.
    @Test func channelsThatCancelStay() async throws {
        let path = folder.path(of: "antiphase.flac")
        let made = try await ChildProcess.run(
            ["sox", try await tone("tone.flac"), path, "remix", "1", "1i"])
        try #require(made.status == .exited(0), "\(made.errors)")
        let samples = samples(in: try bytes(of: try #require(try stream(path))).dropFirst(44))
        #expect(samples.contains { $0 > 0.4 })
        let cancels = stride(from: 0, to: samples.count, by: 2).allSatisfy { samples[$0] == -samples[$0 + 1] }
        #expect(cancels)
    }

    /// Telephone recorders write ADPCM into WAV files.
    @Test func decodesWaveFilesThatTheServiceDoesNotRead() async throws {
        let stream = try #require(try stream(try await tone("tone.wav", "-e", "ms-adpcm")))
        #expect(try bytes(of: stream).count > 170_000)
    }

    @Test(arguments: ["signed-integer", "a-law", "u-law", "floating-point"])
    func leavesWaveFilesToTheService(encoding: String) async throws {
        let path = try await tone("tone.wav", "-e", encoding)
        #expect(try stream(path) == nil)
    }

    @Test(arguments: ["This is no sound.", "", "fLaC", "OggS and no more", "ID3"])
    func whatIsNotSoundIsReadFromItsBeginningByTheService(content: String) throws {
        let path = folder.path(of: "file")
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        let file = try open(path)
        let stream = try SoundFileStream(of: file) { _ in }
        #expect(stream == nil)
        #expect(lseek(file.rawValue, 0, SEEK_CUR) == 0)
    }
}
