import DictationTestKit
import Testing

@testable import DictationRig

@Suite struct LogCheckTests {
    @Test(arguments: [
        "info heard t500 t600", "notice a block: Mister John Dashwood", "text=\"amiable woman he\"",
    ])
    func textInALogIsFound(line: String) {
        #expect(throws: TestFailure.self) { try LogCheck.check("info ready\n\(line)\n", of: "a test") }
    }

    @Test func acceptsALogWithoutText() throws {
        try LogCheck.check(
            "info listening on the bus name=:1.500\nnotice John is a user, t is a letter", of: "a test")
    }
}
