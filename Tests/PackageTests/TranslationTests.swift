import DictationRig
import DictationTestKit
import Foundation
import Testing

/// What people read, in their language.
@Suite struct TranslationTests {
    private static let translate = repository.appending(path: "packaging/translations/translate").path

    @Test func everyTextIsInTheGermanCatalogueWithItsPlaceholders() async throws {
        let run = try await ChildProcess.run([Self.translate, "check"], within: .seconds(60))
        #expect(run.status == .exited(0), "\(run.output)\(run.errors)")
    }

    @Test func installedProgramsUseTheLanguageOfTheUser() async throws {
        let folder = try TemporaryDirectory()
        let programs = URL(filePath: executable("dictationd")).deletingLastPathComponent().path
        let install = try await ChildProcess.run(
            [
                repository.appending(path: "packaging/install").path, folder.path, "programs=\(programs)",
                "parts=common settings",
            ], within: .seconds(60))
        #expect(install.status == .exited(0), "\(install.errors)")
        func run(_ command: [String], in language: String = "de") async throws -> String {
            let run = try await ChildProcess.run(
                command,
                adding: environment(ofLanguage: language, in: folder).merging(
                    ["PYTHONDONTWRITEBYTECODE": "1"]) { $1 })
            return run.output + run.errors
        }
        let cli = folder.path(of: "usr/bin/dictation-cli")
        #expect(
            try await run([cli, "lissten"]).hasPrefix(
                "Es gibt keinen Befehl „lissten“. Ist „listen“ gemeint?"))
        #expect(try await run([cli, "lissten"], in: "fr").hasPrefix("Il n’y a pas de commande « lissten »."))
        #expect(try await run([cli, "lissten"], in: "pl").hasPrefix("There is no command “lissten”."))
        let settings = folder.path(of: "usr/share/dictation/settings")
        let python =
            "import sys; sys.path.insert(0, sys.argv[1])\nfrom dictation_settings.translation import _\nprint(_('Languages'))"
        #expect(try await run(["/usr/bin/python3", "-c", python, settings]) == "Sprachen\n")

        let desktop = try String(
            contentsOfFile: folder.path(of: "usr/share/applications/org.example.Dictation.Settings.desktop"),
            encoding: .utf8)
        #expect(desktop.contains("Name[de]=Diktat-Einstellungen\n"))
        #expect(desktop.contains("Exec=/usr/bin/dictation-settings\n"))
        let metadata = folder.path(of: "usr/share/metainfo/org.example.Dictation.metainfo.xml")
        #expect(try String(contentsOfFile: metadata, encoding: .utf8).contains("xml:lang=\"de\""))
        let validation = try await ChildProcess.run(["appstreamcli", "validate", "--no-net", metadata])
        #expect(validation.status == .exited(0), "\(validation.output)")
    }
}
