import Foundation
import Testing

@testable import KeyboardLayouts

/// Layouts and their languages, by the rules that are installed.
@Suite struct LayoutRulesTests {
    private let rules: LayoutRules

    init() throws { rules = LayoutRules(try String(contentsOfFile: LayoutRules.path, encoding: .utf8)) }

    private static let described: [(String, [String], String?)] = [
        ("German (Switzerland)", ["en-US", "de-DE", "de-CH"], "de-CH"),
        ("German (no dead keys)", ["en-US", "de-CH", "de-DE"], "de-DE"),
        ("French (Switzerland)", ["de-CH", "fr-FR"], "fr-FR"),
        ("English (UK)", ["en-US", "en"], "en"),
        ("Norwegian", ["en", "nb-NO"], "nb-NO"),
        ("Czech (with <\\|> key)", ["en", "cs"], "cs"),
        ("Cherokee", ["en", "de"], nil),
        ("A layout of the user's", ["en", "de"], nil),
        ("", ["en", "de"], nil),
    ]

    @Test(arguments: described)
    func aDescribedLayoutHasOneOfTheUsersLanguages(name: String, tags: [String], language: String?) {
        let layout = rules.layout(.described(name))
        #expect(layout.language(among: tags) == language)
        #expect(layout.name == name)
    }

    @Test(arguments: [
        ("us", "", "English (US)", "en-GB"), ("de", "nodeadkeys", "German (no dead keys)", "de"),
        // A variant that the rules do not know.
        ("de", "mine", "German", "de"),
        ("ca", "", "French (Canada)", "fr"), ("ca", "eng", "English (Canada)", "en-GB"),
    ])
    func aNamedLayoutHasItsVariantsLanguage(
        layout: String, variant: String, name: String, language: String
    ) {
        let found = rules.layout(.named(layout, variant: variant))
        #expect(found.name == name)
        #expect(found.language(among: ["de", "fr", "en-GB"]) == language)
    }

    /// KWin does not report the names of variants.
    @Test(arguments: [("French (Switzerland)", "fr"), ("Französisch (Schweiz)", "de")])
    func aDescribedVariantOfANamedLayoutHasItsLanguage(description: String, language: String) {
        let layout = rules.layout(.named("ch", variant: "", description: description))
        #expect(layout.language(among: ["de", "fr"]) == language)
    }

    @Test func anUnknownLayoutHasItsNameAlone() {
        let layout = rules.layout(.named("homemade", variant: "mine"))
        #expect(layout.name == "homemade (mine)")
        #expect(layout.language(among: ["en"]) == nil)
    }

    /// Beginnings of the file, as a package that is being upgraded has them.
    @Test func rulesThatAreCutAreReadAsFarAsTheyGo() throws {
        let text = try String(contentsOfFile: LayoutRules.path, encoding: .utf8)
        for count in [0, 1, text.utf8.count / 2, text.utf8.count - 1] {
            let cut = LayoutRules(String(decoding: text.utf8.prefix(count), as: UTF8.self))
            _ = cut.layout(.described("German"))
        }
        #expect(LayoutRules("<layoutList><!-- <layout>").layout(.described("German")).name == "German")
    }
}
