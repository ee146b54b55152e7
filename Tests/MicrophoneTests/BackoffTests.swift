import DictationTestKit
import Testing

@testable import Microphone

@Suite struct BackoffTests {
    @Test func delaysDoubleUpToTheLimit() {
        var backoff = Backoff(.milliseconds(50)...(.seconds(5)))
        var generator = TestRandom()
        for due in [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000] {
            let delay = backoff.nextDelay(using: &generator)
            #expect(delay >= max(.milliseconds(50), .milliseconds(due) * 0.75))
            #expect(delay <= min(.seconds(5), .milliseconds(due) * 1.25))
        }
        backoff.reset()
        #expect(backoff.nextDelay(using: &generator) <= .milliseconds(63))
    }
}
