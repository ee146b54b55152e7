import Testing

@testable import DictationCore

@Suite struct EngineHealthTests {
    private let failure = EngineFailure(.closed, "gone")

    @Test func isDownAfterTwoFailuresInARow() {
        var health = EngineHealth()
        health.failed(failure)
        #expect(!health.isDown)
        health.answered(audio: 5, took: .seconds(1))
        health.failed(failure)
        #expect(!health.isDown)
        health.failed(failure)
        #expect(health.state == .down(message: "gone"))
        #expect(health.outages == 1)
        health.failed(failure)
        #expect(health.outages == 1)
    }

    @Test func isDownAtOnceIfAnotherUserListens() {
        var health = EngineHealth()
        health.failed(EngineFailure(.notTrusted, "stranger"))
        #expect(health.isDown)
    }

    /// Only a recognition shows that it is back: one that hangs describes itself.
    @Test func anEngineThatHangsIsDownUntilItRecognises() {
        var health = EngineHealth()
        health.described()
        health.failed(EngineFailure(.tooSlow, "hangs"))
        #expect(health.state == .down(message: "hangs"))
        health.described()
        #expect(health.isDown)
        #expect(health.mustRecognize)
        #expect(health.probeDelay != nil)
        health.answered(audio: 1, took: .seconds(1))
        #expect(health.state == .up)
        // One slow answer of an engine that has answered is no outage.
        health.failed(EngineFailure(.tooSlow, "hangs"))
        #expect(!health.isDown)
    }

    /// The first text does not wait for a minute where there is another one.
    @Test func theFirstAnswerMayTakeTenSecondsIfThereIsAPreview() {
        #expect(EngineHealth().timeout(forAudio: 5, hasPreview: true) == .seconds(10))
    }

    @Test func probesEverySecondThenLessOften() {
        var health = EngineHealth()
        #expect(health.probeDelay == nil)
        health.failed(failure)
        health.failed(failure)
        var delays: [Duration] = []
        for _ in 0..<7 {
            delays.append(health.probeDelay ?? .zero)
            health.notDescribed(failure)
        }
        #expect(delays == [1, 1, 2, 4, 8, 16, 30].map { .seconds($0) })
        health.described()
        #expect(health.state == .up)
        #expect(health.probeDelay == nil)
    }

    @Test func timeoutsFollowTheLengthOfTheAudio() {
        var health = EngineHealth()
        #expect(health.timeout(forAudio: 5) == .seconds(60))
        health.answered(audio: 5, took: .milliseconds(600))
        #expect(health.timeout(forAudio: 5) == .seconds(2))
        #expect(health.timeout(forAudio: 20) == .milliseconds(4500))
        health.answered(audio: 5, took: .seconds(10))
        #expect(health.timeout(forAudio: 20) == .seconds(15))
        for _ in 0..<8 { health.answered(audio: 5, took: .milliseconds(600)) }
        #expect(health.timeout(forAudio: 5) == .seconds(2))
    }

    /// A probe shows nothing new of an engine that answers.
    @Test func aDescriptionChangesNoTimeoutOfAnEngineThatIsUp() {
        var health = EngineHealth()
        health.answered(audio: 5, took: .milliseconds(600))
        health.described(detectsSpeech: true)
        #expect(health.timeout(forAudio: 5) == .seconds(2))
        #expect(health.detectsSpeech)
    }

    @Test func theFirstAnswerAfterAnOutageMayTakeLong() {
        var health = EngineHealth()
        health.answered(audio: 5, took: .milliseconds(600))
        health.failed(failure)
        health.failed(failure)
        health.described()
        #expect(health.timeout(forAudio: 5) == .seconds(60))
    }
}
