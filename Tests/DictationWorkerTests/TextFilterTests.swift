import DictationCore
import DictationTestKit
import Foundation
import Testing

@testable import DictationWorker

@Suite(.serialized) struct TextFilterTests {
    private func filter(_ text: String, by command: String, within timeout: Duration = .seconds(60)) async
        -> FilteredText
    {
        await TextFilter(timeout: timeout).filter(text, by: command, language: "en-GB")
    }

    private func reason(_ filtered: FilteredText) -> String {
        if case .failed(let reason) = filtered { reason } else { "\(filtered)" }
    }

    @Test func theProgramGetsTheTextAndTheLanguage() async {
        #expect(await filter("good day", by: "tr a-z A-Z") == .text("GOOD DAY"))
        #expect(
            await filter("guten Tag, Zoë", by: #"cat; echo " $DICTATION_LANGUAGE""#)
                == .text("guten Tag, Zoë en-GB"))
        // It need not read.
        let long = String(repeating: "word ", count: 200_000)
        #expect(await filter(long, by: "echo short") == .text("short"))
        #expect(await filter(long, by: "cat") == .text(long))
    }

    @Test func aFailureIsExplained() async {
        #expect(reason(await filter("a", by: "cat; exit 3")) == "it exited with status 3")
        #expect(reason(await filter("a", by: "kill -9 $$")) == "it was ended by signal 9")
        #expect(reason(await filter("a", by: "true")) == "it wrote nothing")
        #expect(reason(await filter("a", by: "/no/such/program")) == "it exited with status 127")
        #expect(reason(await filter("a", by: "cat /dev/zero")).hasPrefix("it wrote more than"))
    }

    @Test func aProgramThatHangsIsEndedWithWhatItHasStarted() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path(of: "pid")
        let command = "sleep 1000 & echo $! >\(file).new; mv \(file).new \(file); wait"
        // On a busy machine it may be ended before it has started anything.
        var limit = Duration.seconds(1)
        repeat {
            #expect(reason(await filter("a", by: command, within: limit)).hasPrefix("it took longer than"))
            limit *= 2
        } while !FileManager.default.fileExists(atPath: file) && limit < .seconds(60)
        let pid = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines)
        try await eventually("the program's child has ended") {
            let state = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            return state == nil || state?.contains(") Z ") == true
        }
    }

    /// A child that keeps the output open does not delay the text.
    @Test func theTextIsThereWhenTheProgramEnds() async {
        #expect(await filter("a", by: "echo b; sleep 1000 &") == .text("b"))
    }

    @Test func furtherTextsStayAsTheyAre() async throws {
        let folder = try TemporaryDirectory()
        let filter = TextFilter(timeout: .seconds(60))
        let command = "until [ -e '\(folder.path(of: "go"))' ]; do sleep 0.02; done; echo b"
        let results = try await withThrowingTaskGroup(of: FilteredText.self) { group in
            for _ in 0..<TextFilter.limit + 2 {
                group.addTask { await filter.filter("a", by: command, language: "en-GB") }
            }
            var results: [FilteredText] = []
            for try await result in group {
                results.append(result)
                // The others wait for this.
                if results.count == 2 { try folder.write("", to: "go") }
            }
            return results
        }
        #expect(results.count { $0 == .text("b") } == TextFilter.limit)
    }
}
