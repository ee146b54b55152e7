import DictationTestKit
import Foundation

/// Sounds made by Debian's sox; `-R` makes them reproducible.
enum Sox {
    private static let raw = ["-t", "raw", "-r", "16000", "-c", "1", "-b", "16", "-e", "signed"]

    /// The samples of a sound file, at 16 kHz.
    static func samples(of path: String, _ effects: [String] = []) async throws -> [Int16] {
        let folder = try TemporaryDirectory()
        let file = folder.path(of: "samples.raw")
        try await run(["sox", "-R", path] + raw + [file] + effects)
        return try WaveFile.rawSamples(of: file)
    }

    /// With pink noise this many decibels below.
    static func addNoise(to samples: [Int16], decibelsBelow decibels: Double) async throws -> [Int16] {
        let folder = try TemporaryDirectory()
        let file = folder.path(of: "noise.raw")
        let seconds = String(Double(samples.count) / 16000)
        try await run(["sox", "-R", "-n"] + raw + [file, "synth", seconds, "pinknoise"])
        let noise = try WaveFile.rawSamples(of: file)
        let gain = (energy(of: samples) / energy(of: noise)).squareRoot() * pow(10, -decibels / 20)
        return zip(samples, noise).map { Int16(clamping: Int((Double($0) + Double($1) * gain).rounded())) }
    }

    private static func energy(of samples: [Int16]) -> Double {
        samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(samples.count, 1))
    }

    static func run(_ command: [String]) async throws {
        let result = try await ChildProcess.run(command, within: .seconds(300))
        guard result.status == .exited(0) else {
            throw TestFailure("\(command.joined(separator: " ")): \(result.errors)")
        }
    }
}
