import DictationRig
import DictationTestKit

/// Word errors of whole sets, from files.
struct EngineWords {
    /// The most word errors of the second pass, in percent, by set.
    private static let targets = ["FL": 4.2, "EJ": 8.5, "LJ": 8.7, "L5": 4.3]

    let contestants: [Contestant]
    /// Of more sets.
    let folders: [String]

    func run() async throws {
        var sets = [try await SpeechSet.librivox(), try await EngineSets.letters()]
        for folder in folders { sets.append(try await EngineSets.folder(folder)) }
        var table = Table(
            "Words, from files", columns: "set", "engine", "word errors", "rate", "target",
            "false full stops", "passages of the first pass", "processor time of the daemon")
        for set in sets {
            for contestant in contestants { try await add(set, contestant, to: &table) }
        }
        table.print()
        try await speech(sets)
        try await words()
    }

    private func add(_ set: SpeechSet, _ contestant: Contestant, to table: inout Table) async throws {
        let dictation = try await Dictation(contestant.configuration)
        if !contestant.configuration.isEmpty { try await dictation.client.waitForEngine("whisper") }
        // In pieces of a minute, so that the engine keeps up. A letter is one piece.
        var recordings: [[Int16]] = []
        for utterance in set.utterances {
            if set.name != "FL", let last = recordings.last, last.count < 60 * 16000 {
                recordings[recordings.count - 1] += utterance.samples
            } else {
                recordings.append(utterance.samples)
            }
        }
        var texts: [String] = []
        var fallback = 0
        let time = try await dictation.processorTime {
            for recording in recordings {
                let transcript = try await dictation.transcribe(recording)
                texts.append(transcript.text)
                fallback += transcript.fallback
            }
        }
        try await dictation.rig.end()
        let text = texts.joined(separator: " ")
        let errors = WordErrorRate(of: countedWords(of: text), reference: countedWords(of: set.reference))
        let isSecondPass = !contestant.configuration.isEmpty
        table.add(
            "\(set.name), \(set.seconds.written(0, "s"))", contestant.name, "\(errors)", errors.rate.percent,
            isSecondPass ? Self.targets[set.name].map { "≤ \($0.written(1, "%"))" } ?? "" : "",
            // Some references have no marks.
            set.reference.contains(".")
                ? "\(FullStops.misplaced(in: text, reference: set.reference))" : "",
            isSecondPass ? "\(fallback)" : "", time.written(1, "s"))
    }

    // MARK: Speech that the filters must keep

    private func speech(_ sets: [SpeechSet]) async throws {
        let segments = sets.flatMap(\.utterances).flatMap { EngineSets.segments(of: $0.samples) }
        var table = Table(
            "SPEECH: \(segments.count) segments that the voice activity detector lets through, each by itself",
            columns: "engine", "without text")
        for contestant in contestants {
            let dictation = try await Dictation(contestant.configuration)
            if !contestant.configuration.isEmpty { try await dictation.client.waitForEngine("whisper") }
            var count = 0
            for segment in segments where try await dictation.transcribe(segment).text.isEmpty {
                count += 1
            }
            table.add(contestant.name, "\(count)")
            try await dictation.rig.end()
        }
        table.print()
    }

    private func words() async throws {
        let words = ["you", "thank you", "yes", "no"]
        var table = Table(
            "Words that engines also invent, spoken by \(Voice.all.count) voices", columns: "engine", "kept",
            "what else came")
        for contestant in contestants {
            let dictation = try await Dictation(contestant.configuration)
            if !contestant.configuration.isEmpty { try await dictation.client.waitForEngine("whisper") }
            var kept = 0
            var others: [String] = []
            for word in words {
                for voice in Voice.all {
                    let text = countedWords(of: try await dictation.transcribe(voice.say(word)).text)
                    if text == word { kept += 1 } else { others.append("\(word): “\(text)”") }
                }
            }
            table.add(
                contestant.name, "\(kept) of \(words.count * Voice.all.count)",
                others.joined(separator: ", "))
            try await dictation.rig.end()
        }
        table.print()
    }
}
