import DictationCore
import Testing

/// The patterns of the administrator's rules and the applications that they match.
@Suite struct PermissionRulesTests {
    private func identity(_ kind: Identity.Kind, _ id: String) -> Identity {
        Identity(uid: 1000, kind: kind, id: id)
    }

    @Test(arguments: [
        ("executable:/usr/bin/gdbus", "/usr/bin/gdbus", true),
        ("executable:/usr/bin/gdbus", "/usr/bin/gdbus2", false),
        ("executable:/usr/bin/gdbus", "/usr/bin/gdbu", false),
        ("executable:/usr/*", "/usr/bin/gdbus", true),
        ("executable:/usr/*", "/opt/usr/bin", false),
        ("executable:*/gdbus", "/usr/bin/gdbus", true),
        ("executable:*/gdbus", "/usr/bin/gdbus/x", false),
        ("executable:/a*b*c", "/abc", true),
        ("executable:/a*b*c", "/aXbYbZc", true),
        ("executable:/a*b*c", "/aXbYcZ", false),
        ("executable:**", "/anything", true),
        ("executable:/a?c", "/abc", false),
        ("executable:/caf\u{e9}", "/cafe\u{301}", false),
        ("*", "/usr/bin/gdbus", true),
        ("flatpak:*", "/usr/bin/gdbus", false),
    ])
    func aStarMatchesAnyBytes(pattern: String, path: String, matches: Bool) throws {
        let pattern = try #require(ApplicationPattern(pattern))
        #expect(pattern.matches(identity(.executable, path)) == matches)
    }

    @Test func matchesPatternsWithManyStarsQuickly() throws {
        let pattern = try #require(
            ApplicationPattern("executable:" + String(repeating: "*a", count: 2000) + "b"))
        #expect(!pattern.matches(identity(.executable, String(repeating: "a", count: 4096))))
    }

    @Test(arguments: ["", "gdbus", "/usr/bin/gdbus", "flatpack:org.example", "**", ":x", "Flatpak:x"])
    func aPatternNeedsAKind(text: String) {
        #expect(ApplicationPattern(text) == nil)
    }

    @Test(arguments: ["*", "flatpak:org.example.*", "executable:/usr/bin/a:b"])
    func aPatternIsPrintedAsWritten(text: String) {
        #expect(ApplicationPattern(text)?.description == text)
    }

    @Test func denyTakesPrecedenceOverAllow() throws {
        var rules = PermissionRules()
        rules.allowed = [try #require(ApplicationPattern("flatpak:org.example.*"))]
        rules.denied = [try #require(ApplicationPattern("flatpak:org.example.Spy"))]
        #expect(rules.permission(of: identity(.flatpak, "org.example.Editor")) == .granted)
        #expect(rules.permission(of: identity(.flatpak, "org.example.Spy")) == .restricted)
        #expect(rules.permission(of: identity(.snap, "org.example.Editor")) == nil)
    }

    @Test func unknownCallersMatchAStarOrTheirKindOnly() throws {
        let unknown = identity(.unknown, "")
        for kind in ["flatpak", "snap", "app", "executable"] {
            #expect(try !#require(ApplicationPattern("\(kind):*")).matches(unknown))
        }
        #expect(try #require(ApplicationPattern("*")).matches(unknown))
    }
}
