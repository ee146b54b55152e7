import DictationClient
import Testing

@testable import dictation_cli

@Suite struct SubtitleTests {
    private func finished(_ segments: Segment..., duration: Double? = nil) -> Final {
        var final = Final(block: 1, text: segments.map(\.text).joined(separator: " "))
        final.segments = segments
        final.duration = duration
        return final
    }

    private func file(_ format: SubtitleFile.Format, _ finals: [Final]) -> String {
        var file = SubtitleFile(format)
        return finals.reduce(file.header) { $0 + file.lines(of: $1) }
    }

    @Test func segmentsBecomeCuesInBothFormats() {
        let final = finished(
            Segment("one & <two>", start: 0.5, end: 2.25),
            Segment("three\n\nfour", start: 3725, end: 3726.0004))
        #expect(
            file(.subRip, [final]) == """
                1
                00:00:00,500 --> 00:00:02,250
                one & <two>

                2
                01:02:05,000 --> 01:02:06,000
                three four


                """)
        #expect(
            file(.webVTT, [final]) == """
                WEBVTT

                00:00:00.500 --> 00:00:02.250
                one &amp; &lt;two&gt;

                01:02:05.000 --> 01:02:06.000
                three four


                """)
    }

    /// A spoken "new block" ends one.
    @Test func theNextBlockGoesOnWithNumbersAndTimes() {
        let finals = [
            finished(Segment("one", start: 0.5, end: 1), duration: 10), finished(duration: 5),
            finished(Segment("two", start: 0.25, end: 1)),
            finished(Segment("three", start: 2, end: 3), duration: 3),
        ]
        #expect(
            file(.subRip, finals) == """
                1
                00:00:00,500 --> 00:00:01,000
                one

                2
                00:00:15,250 --> 00:00:16,000
                two

                3
                00:00:18,000 --> 00:00:19,000
                three


                """)
        let other = file(.webVTT, finals)
        #expect(other.ranges(of: "WEBVTT").count == 1)
        #expect(other.contains("00:00:18.000 --> 00:00:19.000\nthree"))
    }

    @Test func longSegmentsAreCutBetweenWordsInOrder() {
        let words = (0..<100).map { "word\($0)" }
        let cues = Subtitles(finished(Segment(words.joined(separator: " "), start: 10, end: 30))).cues
        #expect(cues.flatMap { $0.text.split(separator: " ").map(String.init) } == words)
        #expect(cues.count > 5 && cues.allSatisfy { $0.text.count <= 84 && $0.start < $0.end })
        #expect(cues.first?.start == 10)
        #expect(abs((cues.last?.end ?? 0) - 30) < 0.001)
        #expect(zip(cues, cues.dropFirst()).allSatisfy { $0.end == $1.start })
    }

    @Test func textWithoutSegmentsIsOneCue() {
        var final = Final(block: 1, text: "hello")
        final.duration = 2
        #expect(Subtitles(final).cues == [.init(start: 0, end: 2, text: "hello")])
        #expect(Subtitles(Final(block: 1, text: "")).cues.isEmpty)
        let endless = finished(Segment("x", start: .infinity, end: .infinity))
        #expect(file(.subRip, [endless, endless]).contains("2\n99:59:59"))
    }
}
