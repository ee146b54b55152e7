import DBus
import Testing

@Suite struct NameTests {
    @Test(arguments: [":1.42", "org.example.Echo", "org.example.Echo-2", "a.b", ":1.2.3"])
    func aBusNameIsUniqueOrWellKnown(text: String) throws {
        let name = try #require(BusName(text))
        #expect(name.isUnique == text.hasPrefix(":"))
        #expect("\(name)" == text)
    }

    @Test(arguments: ["", "s", "ss", "a{s(iv)}ayg", "a{sv}", "(ii)", "(i)i", "aaai"])
    func aSignatureIsASequenceOfCompleteTypes(text: String) throws {
        let signature = try #require(Signature(text))
        #expect(signature.isSingle == ["s", "a{sv}", "(ii)", "aaai"].contains(text))
    }

    @Test(arguments: [
        "", " ", "\0", "org", "org.", ".org", "org..example", "org.1x", "org example", "org.exämple", "/",
        "//", "/a/",
        "a/b", "/a b", "a{vs}", "(", "()", "a", "sx\0", String(repeating: "a.", count: 200) + "a",
        String(repeating: "a", count: 256) + "s", "\u{FEFF}", "org.example\0",
    ])
    func refusesInvalidNames(text: String) {
        #expect(BusName(text) == nil || text == "org")
        #expect(InterfaceName(text) == nil)
        #expect(ErrorName(text) == nil)
        #expect(MemberName(text) == nil || text == "org" || text == "a")
        #expect(ObjectPath(text) == nil || text == "/")
        #expect(Signature(text) == nil || text.isEmpty)
    }

    @Test func sortsAndPrintsPathsAsWritten() {
        let paths: [ObjectPath] = ["/b", "/a/b", "/a"]
        #expect("\(paths.sorted())" == "[/a, /a/b, /b]")
    }
}
