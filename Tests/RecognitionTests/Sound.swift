import DictationTestKit
import Foundation
import Testing

@testable import Recognition

/// Deterministic sounds.
enum Sound {
    static func silence(_ seconds: Double) -> [Int16] {
        Array(repeating: 0, count: Int(seconds * 16000))
    }

    static func tone(_ frequency: Double, _ seconds: Double, amplitude: Double = 8000) -> [Int16] {
        (0..<Int(seconds * 16000)).map { index in
            Int16(amplitude * sin(2 * .pi * frequency * Double(index) / 16000))
        }
    }

    static func noise(_ seconds: Double, amplitude: Double, seed: UInt64 = 1) -> [Int16] {
        var generator = SplitMix(seed: seed)
        return (0..<Int(seconds * 16000)).map { _ in
            Int16(Double.random(in: -amplitude...amplitude, using: &generator))
        }
    }

    /// A recording of Debian's pocketsphinx-testdata, such as `librivox/…-0870.wav` or `goforward.raw`.
    static func recording(_ name: String) throws -> [Int16] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/pocketsphinx/test/data/" + name))
        return try decode([UInt8](bytes))
    }

    /// A sentence spoken by espeak-ng.
    static func synthesized(_ sentence: String) throws -> [Int16] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["espeak-ng", "--stdout", sentence]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try decode([UInt8](data)) + silence(0.5)
    }

    static func decode(_ bytes: [UInt8]) throws -> [Int16] {
        var decoder = AudioDecoder()
        return try decoder.decode(bytes) + decoder.finish()
    }
}
