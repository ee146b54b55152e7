import DictationCore
import Testing

@Suite struct LanguageTagTests {
    @Test(arguments: [
        ("en-GB", ["en-US"], "en-US"), ("en-GB", ["en-US", "en"], "en"),
        ("en-GB", ["en-US", "en-GB"], "en-GB"),
        ("de", ["en-US", "de-DE"], "de-DE"), ("pt_BR", ["pt-PT", "pt-br"], "pt-br"),
        ("zh-Hant-TW", ["zh-Hans", "zh-Hant"], "zh-Hant"),
        ("zh-Hant-TW", ["zh-Hans", "zh-Hant-HK"], "zh-Hant-HK"),
        ("EN", ["en_us"], "en_us"),
    ])
    func findsTheNearest(_ tag: String, among available: [String], nearest: String) {
        #expect(LanguageTag.nearest(to: tag, among: available) == nearest)
    }

    @Test(arguments: ["fr", "e", "eng", "", "-", "x-en"])
    func findsNoOtherLanguage(_ tag: String) {
        #expect(LanguageTag.nearest(to: tag, among: ["en-US", "de"]) == nil)
    }

    @Test func anEngineWithoutAListKnowsEveryLanguage() {
        let engine = EngineDescription(program: "p", languages: [])
        #expect(engine.code(for: "pt-BR") == "pt")
        #expect(EngineDescription(program: "p", languages: ["en"]).code(for: "en-GB") == "en")
        #expect(EngineDescription(program: "p", languages: ["en"]).code(for: "de") == nil)
    }
}
