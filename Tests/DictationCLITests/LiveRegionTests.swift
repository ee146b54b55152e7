import DictationClient
import DictationTestKit
import Testing

@testable import dictation_cli

@Suite struct LiveRegionTests {
    @Test func aFullLineTakesOneRow() {
        var terminal = TerminalScreen(columns: 5, rows: 4)
        var region = LiveRegion()
        for text in ["abcde", "fghij", "k"] {
            terminal.show(region.draw([text, "12345"], widths: [5, 5], keeping: [], columns: 5))
            #expect(terminal.lines == [text, "12345"])
        }
        terminal.show(region.draw(["x"], widths: [1], keeping: ["vwxyz", "last"], columns: 5))
        #expect(terminal.lines == ["vwxyz", "last", "x"])
    }

    @Test func theTerminalWrapsFinalText() {
        var terminal = TerminalScreen(columns: 12)
        var region = LiveRegion()
        terminal.show(region.draw(["● Listening"], widths: [11], keeping: [], columns: 12))
        let kept = "leisure too consider"
        terminal.show(region.draw(["● Listening"], widths: [11], keeping: [kept], columns: 12))
        #expect(terminal.lines == ["leisure too ", "consider", "● Listening"])
    }

    /// Text grows, shrinks, is committed and scrolls away, states change: after every event the terminal shows all
    /// final text, wrapped by the terminal, below it the expected live lines, and nothing else.
    @Test(
        arguments: [2, 3, 5, 8, 13, 21, 34, 50, 55, 80])
    func drawsCorrectlyAtEveryWidth(columns: Int) {
        var chance = Chance(state: UInt64(columns))
        let rows = 2 + chance.below(12)
        var screen = ListenScreen()
        screen.hasKeys = chance.below(2) == 0
        var region = LiveRegion()
        var terminal = TerminalScreen(columns: columns, rows: rows)
        var above = TerminalScreen(columns: columns)
        var story = Story()
        for step in 0..<120 {
            let event = story.next(&chance)
            let kept = screen.apply(event)
            let lines = screen.lines(columns: columns, rows: rows - 1)
            terminal.show(
                region.draw(
                    lines.map { $0.rendered(inColour: true) }, widths: lines.map(\.width),
                    keeping: kept.map { [$0] } ?? [], columns: columns))
            if let kept { above.show(kept + "\n") }
            let wanted = above.lines.dropLast() + lines.map(\.text)
            #expect(terminal.lines == Array(wanted), "step \(step), \(columns) columns, \(rows) rows")
        }
    }

    /// Possible events of a session, in words of one and of two columns.
    private struct Story {
        private static let words = [
            "leisure", "to", "too", "consider", "o", "a", "漢字", "かな", "naïve", "e\u{301}te\u{301}", "🙂",
            "antidisestablishmentarianism",
        ]
        private var block: UInt64 = 1
        private var stable = ""

        mutating func next(_ chance: inout Chance) -> DictationEvent {
            switch chance.below(10) {
            case 0:
                defer {
                    block += 1
                    stable = ""
                }
                return .final(Final(block: block, text: stable))
            case 1:
                return .interrupted(.call, all: [.call, .sessionLocked])
            case 2:
                return .stateChanged(StateChange(state: .listening, cause: "", reasons: [], pending: 1))
            case 3:
                return .level(Level(rms: -20, peak: -10))
            case 4, 5:
                let addition = text(&chance, upTo: 6)
                defer { stable += addition }
                return .partial(
                    PartialText(
                        block: block, offset: UInt64(stable.unicodeScalars.count), stable: addition,
                        volatile: ""))
            default:
                return .partial(
                    PartialText(
                        block: block, offset: UInt64(stable.unicodeScalars.count), stable: "",
                        volatile: text(&chance, upTo: 20)))
            }
        }

        private func text(_ chance: inout Chance, upTo count: Int) -> String {
            let words = (0..<chance.below(count + 1)).map { _ in Self.words[chance.below(Self.words.count)] }
            return stable.isEmpty || words.isEmpty
                ? words.joined(separator: " ") : " " + words.joined(separator: " ")
        }
    }

    /// The same for the same state.
    private struct Chance {
        var state: UInt64

        mutating func below(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
    }
}

extension TerminalScreen {
    /// A program's output after the kernel's terminal has processed it.
    fileprivate mutating func show(_ text: String) {
        write(text.replacing("\n", with: "\r\n"))
    }
}
