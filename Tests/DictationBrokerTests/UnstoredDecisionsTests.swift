import DictationCore
import Testing

@testable import DictationBroker
@testable import DictationBus

/// Decisions of users while the disk is full.
@Suite struct UnstoredDecisionsTests {
    private func application(_ number: Int, of uid: UInt32 = 1000) -> Identity {
        Identity(uid: uid, kind: .executable, id: "/bin/\(number)")
    }

    @Test func aUserDoesNotUseUpTheRoomOfOthers() {
        var decisions = UnstoredDecisions()
        func deny(_ resource: Resource, _ identity: Identity) -> Bool {
            decisions.insert(.denied, for: [resource], of: identity)
        }
        for number in 0..<UnstoredDecisions.limit {
            #expect(deny(.microphone, application(number)))
        }
        #expect(!deny(.microphone, application(-1)))
        #expect(deny(.speech, application(0)))
        #expect(deny(.microphone, application(-1, of: 1001)))
        #expect(decisions.identities(ofUser: 1000).count == UnstoredDecisions.limit)
        #expect(decisions.identities(ofUser: 1001) == [application(-1, of: 1001)])
        // A decision that was stored makes room for another.
        decisions.remove([.microphone, .speech], of: application(0))
        #expect(decisions.permission(of: application(0), .notDetermined) == .notDetermined)
        #expect(deny(.microphone, application(-1)))
        #expect(decisions.permission(of: application(-1), .notDetermined).microphone == .denied)
    }
}
