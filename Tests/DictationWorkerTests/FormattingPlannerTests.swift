import DBus
import DictationConfiguration
import DictationCore
import DictationTestKit
import LanguageFiles
import Logging
import Testing

@testable import DictationBus
@testable import DictationWorker

@Suite struct FormattingPlannerTests {
    private let identity = Identity(uid: 1000, kind: .app, id: "org.example.Editor")
    private var desk = FormattingPlanner(logger: Logger(label: "test"))

    private mutating func formatting(
        _ options: [BusText: Value], _ language: String = "en-US",
        _ configuration: Configuration = Configuration()
    ) throws -> Formatting? {
        let plan = try desk.plan(
            FormattingRequest(options, configuration: configuration), languages: [language], of: identity,
            configuration: configuration)
        guard let plan else { return nil }
        if let lexicons = desk.lexicons(for: plan) { return plan.formatting(with: lexicons) }
        let formatting = try #require(plan.formatting(with: plan.makeLexicons()))
        desk.keep(formatting, for: plan)
        return formatting
    }

    @Test mutating func aLanguageWithoutATableIsRefusedWhereACallAsksForIt() throws {
        var tests = self
        let refusal = #expect(throws: Refusal.self) {
            try tests.formatting(["formatting": .string("dictation")], "tlh")
        }
        #expect(refusal?.kind == .unsupportedLanguage)
        #expect(refusal?.message.contains("tlh") == true)
        #expect(refusal?.message.contains("de, en, es, fr") == true)
        var configuration = Configuration()
        configuration.formatting = .dictation
        let klingon = try formatting([:], "tlh", configuration)
        #expect(klingon == nil)
        let german = try formatting([:], "de-CH", configuration)
        #expect(german != nil)
    }

    @Test func anInstallationWithoutLanguageFilesSaysSo() throws {
        let folder = try TemporaryDirectory()
        let planner = FormattingPlanner(LanguageFolder(path: folder.path), logger: Logger(label: "test"))
        let configuration = Configuration()
        let refusal = #expect(throws: Refusal.self) {
            try planner.plan(
                FormattingRequest(["formatting": .string("dictation")], configuration: configuration),
                languages: ["en-US"], of: identity, configuration: configuration)
        }
        #expect(refusal?.kind == .unsupportedLanguage)
        #expect(
            refusal?.message == """
                The service has no language files in \(folder.path), which 'formatting' needs. \
                Install the service completely, or leave out 'formatting'.
                """)
    }

    @Test mutating func callsCannotOverrideTheAdministrator() throws {
        var configuration = Configuration()
        configuration.administered = ["formatting"]
        let formatting = try formatting(["formatting": .string("dictation")], "en-US", configuration)
        #expect(formatting == nil)
    }

    @Test func eachLanguageOfTheUserHasItsLexicon() throws {
        let configuration = Configuration()
        let plan = try desk.plan(
            FormattingRequest(["formatting": .string("dictation")], configuration: configuration),
            languages: ["en-US", "tlh", "de-CH"], of: identity, configuration: configuration)
        let formatting = try #require(plan.flatMap { $0.formatting(with: $0.makeLexicons()) })
        #expect(formatting.lexicon(of: "en-US") == formatting.lexicon)
        #expect(formatting.lexicon(of: "de-CH") != nil)
        #expect(formatting.lexicon(of: "tlh") == nil)
    }

    @Test mutating func sessionsWithoutPhrasesShareALexicon() throws {
        let options: [BusText: Value] = ["formatting": .string("dictation")]
        let first = try formatting(options)
        let second = try formatting(options)
        #expect(first != nil)
        #expect(first == second)
        let own = try formatting(options.merging(["phrases": Value(["send it"])]) { $1 })
        #expect(own != first)
    }

    @Test mutating func sessionsWithOtherReplacementsHaveAnotherLexicon() throws {
        let options: [BusText: Value] = ["formatting": .string("dictation")]
        func configuration(_ written: String) throws -> Configuration {
            let reading = try ConfigurationFile(path: "test.yaml").read(
                "replacements: {pipe wire: \(written)}")
            #expect(reading.errors.isEmpty)
            return reading.configuration
        }
        let first = try formatting(options, "en-US", try configuration("PipeWire"))
        let second = try formatting(options, "en-US", try configuration("pw"))
        #expect(second != first)
        let third = try formatting(options, "en-US", try configuration("PipeWire"))
        #expect(third == first)
    }
}
