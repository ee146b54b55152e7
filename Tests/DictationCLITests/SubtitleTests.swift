import DictationClient
import Testing

@testable import dictation_cli

@Suite struct SubtitleTests {
    private func subtitles(_ segments: Segment...) -> Subtitles {
        var final = Final(block: 1, text: segments.map(\.text).joined(separator: " "))
        final.segments = segments
        return Subtitles(final)
    }

    @Test func segmentsBecomeCuesInBothFormats() {
        let subtitles = subtitles(
            Segment("one & <two>", start: 0.5, end: 2.25),
            Segment("three\n\nfour", start: 3725, end: 3726.0004))
        #expect(
            subtitles.subRip == """
                1
                00:00:00,500 --> 00:00:02,250
                one & <two>

                2
                01:02:05,000 --> 01:02:06,000
                three four


                """)
        #expect(
            subtitles.webVTT == """
                WEBVTT

                00:00:00.500 --> 00:00:02.250
                one &amp; &lt;two&gt;

                01:02:05.000 --> 01:02:06.000
                three four


                """)
    }

    @Test func longSegmentsAreCutBetweenWordsInOrder() {
        let words = (0..<100).map { "word\($0)" }
        let cues = subtitles(Segment(words.joined(separator: " "), start: 10, end: 30)).cues
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
        #expect(subtitles(Segment("x", start: .infinity, end: .infinity)).subRip.contains("99:59:59"))
    }
}
