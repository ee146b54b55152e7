import DictationCore
import DictationTestKit
import Testing

@testable import Recognition

@Suite struct VoiceMeterTests {
    /// What the first segment of a sound shows.
    private func evidence(_ samples: [Int16]) -> VoiceEvidence {
        var front = SpeechFront(TranscriptionRequest(engine: "e", language: "en"), findsPassages: true)
        var evidence = VoiceEvidence()
        for event in front.process(samples + Sound.silence(3)) + front.flush() {
            switch event {
            case .passage(let passage), .cut(_, let passage?): evidence += passage.voice
            default: break
            }
        }
        return evidence
    }

    @Test(arguments: ["yes", "no", "oh", "bye", "so", "you", "thank you", "okay"])
    func shortWordsAreAVoice(_ word: String) throws {
        let voice = evidence(try Sound.synthesized(word))
        #expect(voice.source == .voice, "\(voice)")
    }

    @Test(arguments: [0.02, 0.1, 1])
    func readingIsAVoiceHoweverLoud(_ gain: Double) throws {
        let reading = try Sound.recording("librivox/sense_and_sensibility_01_austen_64kb-0920.wav")
        let voice = evidence(reading.map { Int16(Double($0) * gain) })
        #expect(voice.source == .voice, "\(voice)")
        // 6 s of reading, of which some 2.5 s are vowels.
        #expect((150...400).contains(voice.pitched), "\(voice)")
        #expect(voice.moving * 3 > voice.pitched, "\(voice)")
    }

    /// Steady noise, and short bursts of it such as keys and knocks make.
    @Test(arguments: [UInt64](1...20))
    func noiseIsNoVoice(_ seed: UInt64) {
        let steady = Sound.silence(0.5) + Sound.noise(2, amplitude: 3000, seed: seed)
        #expect(evidence(steady).source == .noise)
        let burst = Sound.noise(0.08, amplitude: 8000, seed: seed) + Sound.silence(0.3)
        #expect(evidence(Sound.silence(0.5) + burst + burst + burst).source == .noise)
    }

    @Test(arguments: [82.4, 110, 196, 261.6, 440, 500, 1000])
    func notesAreTones(_ frequency: Double) {
        let note = PluckedNotes.note(frequency, 0.5)
        let voice = evidence(Sound.silence(0.5) + note + note + note)
        #expect(voice.source != .voice, "\(voice)")
        #expect(voice.pitched > 50, "\(voice)")
        #expect(evidence(Sound.silence(0.5) + Sound.tone(frequency, 1)).source == .tones)
    }

    /// The evidence does not depend on how the sound is delivered.
    @Test func partsOfAnyLengthGiveTheSame() throws {
        let reading = try Sound.recording("librivox/sense_and_sensibility_01_austen_64kb-0930.wav")
        var whole = VoiceMeter()
        whole.append(reading[...])
        var random = SplitMix(seed: 3)
        var parted = VoiceMeter()
        var rest = reading[...]
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...3000, using: &random))
            rest = rest.dropFirst(part.count)
            parted.append(part)
        }
        #expect(parted.evidence == whole.evidence)
    }
}

/// A string, by the algorithm of Karplus and Strong.
enum PluckedNotes {
    static func note(_ frequency: Double, _ seconds: Double, amplitude: Double = 8000) -> [Int16] {
        var random = SplitMix(seed: UInt64(frequency))
        var string = (0..<max(2, Int(16000 / frequency))).map { _ in
            Double.random(in: -amplitude...amplitude, using: &random)
        }
        return (0..<Int(seconds * 16000)).map { index in
            let place = index % string.count
            defer { string[place] = 0.498 * (string[place] + string[(place + 1) % string.count]) }
            return Int16(string[place])
        }
    }

    /// A tune without a pause.
    static func tune(seconds: Double) -> [Int16] {
        let notes = [130.8, 164.8, 196, 261.6, 329.6, 392, 523.3, 220, 174.6, 293.7, 246.9, 196]
        var tune: [Int16] = []
        while Double(tune.count) < seconds * 16000 {
            tune += note(notes[tune.count / 6720 % notes.count], 0.42)
        }
        return tune
    }
}
