import Testing

@testable import Microphone

@Suite struct QuietLevelTests {
    private func noise(_ peak: Int16) -> [Int16] { [0, peak, -peak] + [Int16](repeating: 0, count: 1597) }

    @Test func speechIsLouderThanTheRoom() {
        var level = QuietLevel()
        for _ in 0..<50 { level.measure(noise(12)) }
        #expect(level.peak >= 12)
        // Two seconds of speech.
        for _ in 0..<20 { level.measure(noise(8000)) }
        level.measure(noise(12))
        #expect(level.peak < 100)
    }

    @Test func anotherNoiseBecomesQuietInAFewSeconds() {
        var level = QuietLevel()
        for _ in 0..<50 { level.measure(noise(12)) }
        for _ in 0..<50 { level.measure(noise(400)) }
        #expect(level.peak >= 400)
    }
}
