import DictationTestKit
import Foundation
import Logging
import ServiceLog
import Testing

@Suite struct LogTextTests {
    @Test(arguments: [
        ("plain: /usr/bin/gdbus (deleted)", "plain: /usr/bin/gdbus (deleted)"), ("naïve 日本", "naïve 日本"),
        ("a\nnotice: granted", #"a\nnotice: granted"#), ("\r\t\u{1B}[2J", #"\r\t\u{1B}[2J"#),
        ("\u{2028}\u{202E}\u{200B}", #"\u{2028}\u{202E}\u{200B}"#), (#"\n"#, #"\\n"#), ("", ""),
    ])
    func staysOnOneLine(text: String, safe: String) {
        #expect(LogText.safe(text) == safe)
    }

    @Test func longTextIsCutWithItsLength() {
        let long = String(repeating: "ä", count: 1 << 20)
        #expect(LogText.safe(long) == String(repeating: "ä", count: 64) + "… (2097152 bytes)")
        #expect(LogText.safe(String(repeating: "x", count: 128)).count == 128)
        let escapes = LogText.safe(String(repeating: "\n", count: 1 << 20))
        #expect(escapes == String(repeating: #"\n"#, count: 64) + "… (1048576 bytes)")
    }

    /// Combining marks take quadratic time where text is compared by characters.
    @Test func combiningMarksAreCutInLinearTime() {
        let marks = "a" + String(repeating: "\u{301}\u{316}", count: 60_000)
        let duration = threadTime { #expect(LogText.safe(marks).utf8.count < 200) }
        #expect(duration < .milliseconds(100))
    }

    @Test func everyPartOfARecordIsMadeSafe() throws {
        let output = Output()
        var logger = Logger(label: "test") { label in
            ServiceLogHandler(StreamLogHandler(label: label, stream: output, metadataProvider: nil))
        }
        logger[metadataKey: "kept"] = "k\nept"
        logger.error(
            "mess\nage",
            metadata: [
                "text": "te\nxt", "list": .array(["o\nne"]), "table": .dictionary(["key": "va\nlue"]),
                "long": "\(String(repeating: "y", count: 5_000_000))",
            ])
        let lines = output.text
        #expect(lines.utf8.count < 1000)
        #expect(lines.filter { $0 == "\n" }.count == 1 && lines.hasSuffix("\n"))
        for part in ["mess", "k", "te"] { #expect(lines.contains(part + #"\n"#)) }
        // The stream handler writes collections as Swift literals, in which a backslash is escaped again.
        for part in ["o", "va"] { #expect(lines.contains(part + #"\\n"#)) }
    }
}

/// Keeps what is written.
private final class Output: TextOutputStream, @unchecked Sendable {
    // Used by one test, on one thread.
    private(set) var text = ""

    func write(_ string: String) {
        text += string
    }
}
