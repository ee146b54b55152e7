import DictationCore
import Testing

/// Frequent events change only what they must. `packaging/bench events` measures their cost.
@Suite struct EventCostTests {
    @Test func countingSoundChangesNothingElse() {
        var scenario = Scenario()
        let session = scenario.listen()
        let deadline = scenario.machine.nextDeadline
        scenario.handle(.captured(session, frames: 320))
        #expect(scenario.effects.isEmpty)
        #expect(scenario.machine.nextDeadline == deadline)
        #expect(scenario.state(of: .editor)?.duration == 0.12)
    }
}
