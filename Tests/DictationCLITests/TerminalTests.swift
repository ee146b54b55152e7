import Glibc
import Testing

@testable import dictation_cli

@Suite struct TerminalTests {
    @Test(
        arguments: [
            ("abc", 3), ("naïve", 5), ("e\u{301}", 1), ("漢字", 4), ("한글", 4), ("🙂", 2), ("✓", 1), ("👨‍👩‍👧", 2),
            ("", 0),
        ])
    func countsWidthInColumns(text: String, columns: Int) {
        #expect(DisplayText.width(text) == columns)
    }

    @Test func wrapsAtSpacesAndInLongWords() {
        #expect(StyledLine("one two three").wrapped(to: 7).map(\.text) == ["one two", "three"])
        #expect(StyledLine("one two three").wrapped(to: 8).map(\.text) == ["one two", "three"])
        #expect(StyledLine("abcdefghij kl").wrapped(to: 4).map(\.text) == ["abcd", "efgh", "ij", "kl"])
        #expect(StyledLine("漢字漢字").wrapped(to: 5).map(\.text) == ["漢字", "漢字"])
        #expect(StyledLine("").wrapped(to: 5).isEmpty)
        #expect(StyledLine("abc").wrapped(to: 0).isEmpty)
    }

    @Test func keepsStylesWhenWrapping() {
        var line = StyledLine("one ")
        line.append("two", .dim)
        #expect(line.wrapped(to: 3).map { $0.rendered(inColour: true) } == ["one", "\u{1B}[2mtwo\u{1B}[0m"])
        #expect(line.rendered(inColour: false) == "one two")
    }

    @Test func truncationLeavesRoomForTheEllipsis() {
        #expect(DisplayText.truncated("abcdef", to: 4) == "abc…")
        #expect(DisplayText.truncated("abcd", to: 4) == "abcd")
        #expect(DisplayText.truncated("漢字漢字", to: 4) == "漢…")
        #expect(DisplayText.truncated("ab", to: 0) == "")
    }

    @Test func wrapsAtNewlines() {
        #expect(StyledLine("one\n\ntwo three").wrapped(to: 7).map(\.text) == ["one", "", "two", "three"])
    }

    @Test func onlyWhatControlsATerminalIsRemoved() {
        let text = "می\u{200C}خواهم 👩\u{200D}🔬\u{200F}\ta\nb\r\nc\u{2029}d"
        #expect(
            DisplayText.harmlessLines(text) == "می\u{200C}خواهم 👩\u{200D}🔬\u{200F}\ta\nb\nc\nd")
        #expect(DisplayText.harmless(text) == "می\u{200C}خواهم 👩\u{200D}🔬\u{200F} a b c d")
        let hostile = "a\u{1B}[2J\u{7}b\u{9B}c\u{202E}d\u{2067}e\u{7F}"
        #expect(DisplayText.harmlessLines(hostile) == "a [2J b cde ")
    }

    private func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        var reader = KeyReader()
        return reader.keys(in: bytes) + reader.endSequence()
    }

    @Test func distinguishesKeysFromEscapeSequences() {
        #expect(keys(" \r\nqQuU".utf8) == [.space, .enter, .enter, .quit, .quit, .undo, .undo])
        #expect(keys([0x1B]) == [.escape])
        #expect(keys([0x1B, 0x1B]) == [.escape, .escape])
        #expect(keys("\u{1B}[A\u{1B}[1;5C\u{1B}OP\u{1B}[3~ ".utf8) == [.space])
        // Alt and a cursor key.
        #expect(keys("\u{1B}\u{1B}[A ".utf8) == [.space])
        #expect(keys("\u{1B}q".utf8) == [])
        #expect(keys([0x04]) == [.quit])
        #expect(keys([0xC3, 0xA9, 0x20]) == [.space])
        #expect(keys([]) == [])
    }

    /// As over a slow connection.
    @Test func sequencesThatArriveInPiecesAreNotEscape() {
        for sequence in ["\u{1B}[A", "\u{1B}[1;5C", "\u{1B}OP", "\u{1B}\u{1B}[A", "\u{1B}q"] {
            var reader = KeyReader()
            var keys: [Key] = []
            for byte in sequence.utf8 { keys += reader.keys(in: [byte]) }
            #expect(keys == [] && !reader.isWithinSequence, "\(sequence.debugDescription)")
        }
    }

    @Test func sequenceWhoseRestDoesNotComeEnds() {
        var reader = KeyReader()
        var keys = reader.keys(in: [0x1B])
        #expect(keys == [] && reader.isWithinSequence)
        keys = reader.endSequence()
        #expect(keys == [.escape] && !reader.isWithinSequence)
        keys = reader.keys(in: "\u{1B}[1;".utf8) + reader.endSequence()
        #expect(keys == [])
        keys = reader.keys(in: [0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 100) + [0x20])
        #expect(keys.last == .space)
    }

    @Test func onlyALaterControlCGivesUp() {
        let start = ContinuousClock.now
        let later = start + StopRequests.interval
        func answers(_ signals: [(Int32?, ContinuousClock.Instant)]) -> [StopRequests.Answer] {
            var requests = StopRequests()
            return signals.map { requests.receive($0, at: $1) }
        }
        // A terminal that is closed.
        #expect(answers([(nil, start), (SIGHUP, start), (SIGINT, start)]) == [.finish, .ignore, .ignore])
        #expect(answers([(SIGTERM, start), (SIGHUP, later), (nil, later)]) == [.finish, .ignore, .ignore])
        #expect(answers([(SIGINT, start), (SIGINT, later)]) == [.finish, .giveUp])
        #expect(answers([(SIGHUP, start), (SIGINT, later)]) == [.finish, .giveUp])
    }

    @Test func replacesLiveLinesInPlace() {
        var region = LiveRegion()
        #expect(region.draw(["ab", "cd"], widths: [2, 2], columns: 10) == "ab\ncd")
        #expect(
            region.draw(["ef"], widths: [2], keeping: ["kept"], columns: 10) == "\r\u{1B}[1A\u{1B}[Jkept\nef")
        #expect(region.erase(columns: 10) == "\r\u{1B}[J")
        #expect(region.erase(columns: 10) == "")
    }

    @Test func erasesWrappedLinesOnANarrowerScreen() {
        var region = LiveRegion()
        _ = region.draw([String(repeating: "x", count: 20), "y"], widths: [20, 1], columns: 40)
        #expect(region.erase(columns: 8) == "\r\u{1B}[3A\u{1B}[J")
    }

    @Test(arguments: [10, 20, 40, 120])
    func theProgressBarFits(columns: Int) {
        for fraction in [nil, 0, 0.5, 1, 7] as [Double?] {
            let line = ProgressBar(title: "a long name of a file.wav", fraction: fraction, seconds: 187.4)
                .line(columns: columns)
            #expect(DisplayText.width(line) <= columns)
        }
        #expect(
            ProgressBar(title: "a.wav", fraction: 0.5, seconds: 187).line(columns: 32)
                == "a.wav  ██████░░░░░░   50 %  3:07")
    }
}
