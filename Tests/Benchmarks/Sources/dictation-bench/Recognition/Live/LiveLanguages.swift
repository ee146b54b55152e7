import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation

/// German, French and Spanish by espeak-ng, whose voices are poor: the figures compare languages, not engines.
struct LiveLanguages {
    let model: String

    private static let sentences: [(tag: String, voice: String, sentences: [String])] = [
        (
            "de-DE", "de",
            [
                "Der Zug nach Hamburg fährt heute zwanzig Minuten später ab.",
                "Meine Schwester arbeitet seit einem Jahr in einem großen Krankenhaus.",
                "Kannst du mir bitte sagen, wo die nächste Apotheke ist.",
                "Wir haben gestern Abend im Garten gegessen, weil es so warm war.",
                "Der Bericht muss bis zum Ende der Woche fertig sein.",
                "Im Winter gehen die Kinder gern auf dem See Schlittschuh laufen.",
            ]
        ),
        (
            "fr-FR", "fr",
            [
                "Le train pour Lyon part aujourd'hui avec vingt minutes de retard.",
                "Ma sœur travaille depuis un an dans un grand hôpital.",
                "Pouvez-vous me dire où se trouve la pharmacie la plus proche.",
                "Hier soir nous avons mangé dans le jardin parce qu'il faisait chaud.",
                "Le rapport doit être terminé avant la fin de la semaine.",
                "En hiver les enfants aiment jouer dans la neige.",
            ]
        ),
        (
            "es-ES", "es",
            [
                "El tren para Sevilla sale hoy con veinte minutos de retraso.",
                "Mi hermana trabaja desde hace un año en un hospital grande.",
                "Puede decirme dónde está la farmacia más cercana.",
                "Anoche cenamos en el jardín porque hacía mucho calor.",
                "El informe tiene que estar listo antes del fin de semana.",
                "En invierno los niños juegan en la nieve.",
            ]
        ),
        (
            "en-US", "en-us",
            [
                "The train to Boston leaves twenty minutes late today.",
                "My sister has worked in a large hospital for a year.",
                "Can you tell me where the nearest pharmacy is.",
                "Last night we ate in the garden because it was so warm.",
                "The report has to be ready by the end of the week.",
                "In winter the children like to play in the snow.",
            ]
        ),
    ]

    func run() async throws {
        var table = Table(
            "Languages, Whisper \(model), the spoken one detected among two", columns: "language", "detected",
            "wrong on the screen", "first text, median", "a word's delay, median", "word errors",
            "asked directly", "commit, median", "passages without the engine")
        var right = 0
        var count = 0
        for (tag, voice, sentences) in Self.sentences {
            let scene = try await LiveScene(model: model)
            var utterances: [SpeechSet.Utterance] = []
            for sentence in sentences {
                let samples = try await SpeechSet.speak(
                    sentence, ["espeak-ng", "-v", voice, "-s", "150", "-w"])
                utterances.append(SpeechSet.Utterance(reference: sentence, samples: samples))
            }
            let direct = try await DirectReading.all(
                of: utterances, model: model, language: String(tag.prefix(2)))
            var screen = ScreenText()
            var errors = WordErrorRate()
            var directErrors = WordErrorRate()
            var commits: [Double] = []
            var detected = 0
            var fallback = 0
            for (index, utterance) in utterances.enumerated() {
                // Both orders: the first language is the one that is assumed before it is known.
                let other = tag == "en-US" ? "de-DE" : "en-US"
                let languages = index % 2 == 0 ? [tag, other] : [other, tag]
                try await scene.listening([
                    "language": .string(BusText(languages[0])),
                    "languages": Value(languages.map { BusText($0) }),
                ]) {
                    let seen = try await scene.say(utterance.samples)
                    screen.add(seen, reference: utterance.reference, ends: direct[index].ends)
                    let reference = countedWords(of: utterance.reference)
                    errors.add(countedWords(of: seen.text), reference: reference)
                    directErrors.add(countedWords(of: direct[index].text), reference: reference)
                    commits.append(seen.commit)
                    if seen.details["language"] == .string(BusText(tag)) { detected += 1 }
                    fallback += seen.fallback
                    note("\(tag): \(seen.text)")
                }
            }
            right += detected
            count += utterances.count
            table.add(
                tag, "\(detected) of \(utterances.count)", screen.wrongRate.percent,
                screen.firsts.isEmpty ? "none" : Samples(screen.firsts).median.written(2, "s"),
                Samples(screen.delays).median.written(2, "s"),
                "\(errors.errors) of \(errors.words)", "\(directErrors.errors)",
                Samples(commits).median.written(0, "ms"), "\(fallback)")
            try await scene.end()
        }
        table.add("all", "\(right) of \(count)", "", "", "", "", "", "", "")
        table.print()
    }
}
