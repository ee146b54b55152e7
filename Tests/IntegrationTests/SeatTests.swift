import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// A locked screen, another user at the seat, and sleep: the real daemon with a mock logind.
@Suite struct SeatTests {
    /// `packaging/soak desktop` has 1,000.
    static let cycles = ProcessInfo.processInfo.environment["DICTATION_SOAK_CYCLES"].flatMap { Int($0) } ?? 10

    static let delayed = ["sleep Dictation delay"]

    @Test func hearsNothingWhileLockedRepeatedly() async throws {
        try await withRig(tones) { rig in
            let desk = try await Desk(rig)
            let logind = desk.logind
            try await repeatedly(desk) { number in
                // Half of them reported by a lock screen, half requested by `loginctl`.
                let isOrder = number % 2 == 1
                try await goAway(number, desk, reason: "session-locked") {
                    try await isOrder ? logind.lock("c1") : logind.setLockedHint(true, "c1")
                } comeBack: {
                    try await isOrder ? logind.unlock("c1") : logind.setLockedHint(false, "c1")
                }
            }
        }
    }

    @Test func sleepWaitsForTheMicrophoneRepeatedly() async throws {
        try await withRig(tones) { rig in
            let desk = try await Desk(rig)
            let logind = desk.logind
            try await repeatedly(desk) { number in
                try await eventually("sleep is delayed") { try await logind.inhibitors() == Self.delayed }
                try await goAway(number, desk, reason: "suspend") {
                    try await logind.prepareForSleep(true)
                    try await eventually("sleep may begin") { try await logind.inhibitors().isEmpty }
                    #expect(try await !rig.isCapturing())
                } comeBack: {
                    try await logind.prepareForSleep(false)
                }
            }
            try await eventually("sleep is delayed") { try await logind.inhibitors() == Self.delayed }
        }
    }

    @Test func hearsNothingWhileAnotherUserIsActive() async throws {
        try await withRig(tones) { rig in
            let desk = try await Desk(rig)
            for number in 0..<3 {
                try await goAway(number, desk, reason: "session-inactive") {
                    try await desk.logind.setActive(false, "c1")
                } comeBack: {
                    try await desk.logind.setActive(true, "c1")
                }
            }
        }
    }

    /// The machine slept without a signal before: the stream may be broken and is opened again.
    @Test func resumesOnAWakeWithoutASleep() async throws {
        try await withRig(tones) { rig in
            let desk = try await Desk(rig)
            for number in 0..<3 {
                try await desk.say(500)
                try await desk.logind.prepareForSleep(false)
                try await desk.client.story("Interrupted suspend", "Resumed suspend")
                try await desk.expectMicrophone(isOpen: true)
                try await desk.say(600)
                #expect(try await desk.client.dictation.commit().text == "t500 t600", "\(number)")
                #expect(desk.client.story.count == 2)
                desk.client.forget()
            }
        }
    }

    /// Only the audio server knows when the stream is closed; a busy server is waited for.
    @Test func sleepWaitsUntilTheAudioServerConfirms() async throws {
        try await withRig(tones) { rig in
            let desk = try await Desk(rig)
            try await eventually("sleep is delayed") {
                try await desk.logind.inhibitors() == Self.delayed
            }
            try rig.audio.pause()
            try await desk.logind.prepareForSleep(true)
            try await desk.client.story("Interrupted suspend")
            for _ in 0..<10 { #expect(try await !desk.client.isMicrophoneInUse()) }
            #expect(try await desk.logind.inhibitors() == Self.delayed)
            rig.audio.resume()
            try await eventually("sleep may begin") { try await desk.logind.inhibitors().isEmpty }
            #expect(try await !rig.isCapturing())
        }
    }

    /// All reasons of the desk at once, ended one by one in every order: it listens when the last one has ended.
    @Test func listensAfterTheLastReasonEnds() async throws {
        try await withRig(tones) { rig in
            let desk = try await Desk(rig)
            let reasons = ["session-locked", "session-inactive", "suspend"]
            func set(_ reason: String, _ holds: Bool) async throws {
                switch reason {
                case "session-locked": try await desk.logind.setLockedHint(holds, "c1")
                case "session-inactive": try await desk.logind.setActive(!holds, "c1")
                default: try await desk.logind.prepareForSleep(holds)
                }
            }
            for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                let order = order.map { reasons[$0] }
                for (index, reason) in order.enumerated() {
                    try await set(reason, true)
                    try await eventually("\(reason) is told") {
                        try await desk.client.dictation.getSession()["reasons"]
                            == Value(Array(order.prefix(index + 1)))
                    }
                }
                for (index, reason) in order.enumerated() {
                    try await desk.expectMicrophone(isOpen: false)
                    try await set(reason, false)
                    let rest = Array(order.dropFirst(index + 1))
                    if rest.isEmpty { break }
                    try await eventually("\(rest) are left") {
                        try await desk.client.dictation.getSession()["reasons"] == Value(rest)
                    }
                }
                try await desk.client.story("Interrupted \(order[0])", "Resumed \(order[2])")
                try await desk.expectMicrophone(isOpen: true)
                desk.client.forget()
            }
        }
    }

    // MARK: Repetition

    /// Repeats and checks for leaks.
    private func repeatedly(_ desk: Desk, _ cycle: (Int) async throws -> Void) async throws {
        for number in 0..<3 { try await cycle(number) }
        let before = try await desk.rig.usageAtRest()
        for number in 0..<Self.cycles { try await cycle(number) }
        print("\(Self.cycles) cycles: \(before) … \(try desk.rig.usage())")
        try await desk.rig.expectAsBefore(before)
    }

    /// A tone before, one while it must not listen, and one after: the first and the third are the block.
    private func goAway(
        _ number: Int, _ desk: Desk, reason: String, leave: () async throws -> Void,
        comeBack: () async throws -> Void
    ) async throws {
        let before = 500 + number % 10 * 100
        let after = before + 1000
        let secret = 3500
        try await desk.say(before)
        try await leave()
        try await desk.client.story("Interrupted \(reason)")
        try await eventually("the stream is gone") { try await !desk.rig.isCapturing() }
        #expect(try await !desk.client.isMicrophoneInUse())
        try await desk.sayToAnother(secret)
        try await comeBack()
        try await desk.client.story("Interrupted \(reason)", "Resumed \(reason)")
        try await desk.expectMicrophone(isOpen: true)
        try await desk.say(after)
        #expect(try await desk.client.dictation.commit().text == "t\(before) t\(after)", "\(number)")
        #expect(desk.client.story.count == 2)
        #expect(!desk.client.texts.contains { $0.contains("t\(secret)") })
        desk.client.forget()
    }
}
