import DictationRig
import DictationTestKit
import Testing

/// The user's own words with the service for the whole machine, which cannot read the user's files, as their worker can.
@Suite struct OwnWordsTests {
    private static let linger = ["a{sv}", "1", "linger", "b", "true"]

    @Test func eachUserHasTheirOwnWords() async throws {
        try await withUsers("") { _, one, other in
            let samples = try await Speech.synthetic("we use wireguard for the network")
            try one.configure("words: [{WireGuard: W AY R G AA R D}]\n")
            try await eventually("the next session has the word") { try await startHasWord(one, true) }
            try await one.state("listening")
            try await one.say(samples + Speech.silence(0.5))
            #expect(try await one.busctl("Commit").contains("WireGuard"))
            #expect(try await startHasWord(other, false))
            _ = try await one.busctl("Stop")
            try one.configure("words: []\n")
            try await eventually("the word is removed") { try await startHasWord(one, false) }
        }
    }

    /// Starts a session, and stops it again if it does not meet the condition.
    private func startHasWord(_ user: DesktopUser, _ isWanted: Bool) async throws -> Bool {
        _ = try await user.busctl("Start", Self.linger)
        let isThere = try await user.busctl("GetSession").contains("WireGuard")
        if isThere != isWanted { _ = try await user.busctl("Stop") }
        return isThere == isWanted
    }
}
