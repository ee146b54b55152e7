public import DictationTestKit
import Glibc

/// The speech of test microphones.
public enum Speech {
    public static let johnsWords =
        "and mister john dashwood had then leisure to consider how much there might be "
        + "prudently in his power to do for them"

    public static let amiableWords =
        "had he married a more amiable woman he might have been made still more respectable than he was "
        + "he might even have been made amiable himself"

    /// Two sentences that the model understands well.
    public static func amiable() throws -> [Int16] {
        try ["0920", "0930"].flatMap {
            try WaveFile.samples(
                of: "\(WaveFile.speech)/librivox/sense_and_sensibility_01_austen_64kb-\($0).wav")
        }
    }

    public static func john() throws -> [Int16] {
        try WaveFile.samples(of: "\(WaveFile.speech)/librivox/sense_and_sensibility_01_austen_64kb-0870.wav")
    }

    /// Speech of espeak-ng.
    public static func synthetic(_ text: String, voice: String = "en-us") async throws -> [Int16] {
        let folder = try TemporaryDirectory()
        let files = ["espeak.wav", "speech.wav"].map(folder.path(of:))
        for command in [
            ["espeak-ng", "-v", voice, "-s", "150", "-w", files[0], text],
            ["sox", files[0], files[1], "gain", "-3", "rate", "16000"],
        ] {
            let result = try await ChildProcess.run(command)
            guard result.status == .exited(0) else { throw TestFailure("\(command): \(result.errors)") }
        }
        return try WaveFile.samples(of: files[1])
    }

    /// Tones of a quarter of a second, each followed by as much silence. The scripted engine recognises them as
    /// `t500 t600`…
    public static func tones(_ frequencies: Int...) -> [Int16] {
        frequencies.flatMap { tone($0, seconds: 0.25) + silence(0.25) }
    }

    public static func tone(_ frequency: Int, seconds: Double) -> [Int16] {
        (0..<Int(seconds * 16000)).map { index in
            Int16(8000 * sin(2 * Double.pi * Double(frequency) * Double(index) / 16000))
        }
    }

    /// A tune on a string, by the algorithm of Karplus and Strong.
    public static func pluckedNotes(seconds: Double) -> [Int16] {
        let notes = [130.8, 164.8, 196, 261.6, 329.6, 392, 523.3, 220, 174.6, 293.7, 246.9, 196]
        var random = SplitMix(seed: 1)
        var tune: [Int16] = []
        while Double(tune.count) < seconds * 16000 {
            let frequency = notes[tune.count / 6720 % notes.count]
            var string = (0..<Int(16000 / frequency)).map { _ in
                Double.random(in: -8000...8000, using: &random)
            }
            for index in 0..<6720 {
                let place = index % string.count
                tune.append(Int16(string[place]))
                string[place] = 0.498 * (string[place] + string[(place + 1) % string.count])
            }
        }
        return tune
    }

    public static func silence(_ seconds: Double) -> [Int16] {
        [Int16](repeating: 0, count: Int(seconds * 16000))
    }
}

extension Rig {
    /// Plays this on a microphone and waits for its end.
    public func say(_ samples: [Int16], into microphone: DriverMicrophone) async throws {
        try await microphone.say(samples)
    }
}
