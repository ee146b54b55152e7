import DBus
import Desktop
import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Testing

/// The number of repetitions: few, or as many as `packaging/soak` sets.
let cycles = ProcessInfo.processInfo.environment["DICTATION_SOAK_CYCLES"].flatMap(Int.init) ?? 10

@Suite struct SleepTests {
    static let delayed = ["sleep Dictation delay"]

    @Test func holdsTheInhibitorFromStartToEnd() async throws {
        try await withSeat { rig in
            let logind = try await rig.logind()
            await rig.watch.start()
            try await eventually("sleep is delayed") { try await logind.inhibitors() == Self.delayed }
            await rig.watch.stop()
            try await eventually("the machine may sleep") { try await logind.inhibitors().isEmpty }
        }
    }

    @Test func releasesTheInhibitorForSleepAndTakesItAgain() async throws {
        try await withSeat { rig in
            let logind = try await rig.logind()
            await rig.watch.start()
            try await rig.facts(.present)
            for _ in 0..<cycles {
                try await eventually("sleep is delayed") { try await logind.inhibitors() == Self.delayed }
                try await logind.prepareForSleep(true)
                try await rig.facts(.asleep)
                #expect(try await logind.inhibitors() == Self.delayed)
                await rig.watch.delaySleep(false)
                try await eventually("the machine may sleep") { try await logind.inhibitors().isEmpty }
                await rig.watch.delaySleep(true)
                #expect(try await logind.inhibitors().isEmpty)
                try await logind.prepareForSleep(false)
                try await rig.facts(.present)
            }
            #expect(rig.history.count == 1 + 2 * cycles)
            #expect(rig.troubles.isEmpty)
        }
    }

    @Test func theInhibitorCanBeReleasedFromTheCallback() async throws {
        try await withSeat { rig in
            let logind = try await rig.logind()
            rig.react { [watch = rig.watch] facts in
                watch.delaySleep(!facts.isAsleep)
            }
            await rig.watch.start()
            try await eventually("sleep is delayed") { try await logind.inhibitors() == Self.delayed }
            try await logind.prepareForSleep(true)
            try await eventually("the machine may sleep") { try await logind.inhibitors().isEmpty }
            try await logind.prepareForSleep(false)
            try await eventually("sleep is delayed") { try await logind.inhibitors() == Self.delayed }
        }
    }

    @Test func reportsAWakeWithoutASleep() async throws {
        try await withSeat { rig in
            let logind = try await rig.logind()
            await rig.watch.start()
            try await rig.facts(.present)
            try await logind.prepareForSleep(false)
            try await eventually("both are told") { rig.history == [.present, .asleep, .present] }
        }
    }

    @Test func noticesSleepThatBeganEarlier() async throws {
        try await withSeat { rig in
            let logind = try await rig.logind()
            try await logind.mock.set(
                "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PreparingForSleep", .bool(true))
            await rig.watch.start()
            try await rig.facts(.asleep)
            #expect(try await logind.inhibitors().isEmpty)
            try await logind.prepareForSleep(false)
            try await rig.facts(.present)
        }
    }

    @Test func reportsEveryLock() async throws {
        // The hint follows the request within this time, also on a busy machine.
        try await withSeat(lockConfirmation: .seconds(30)) { rig in
            let logind = try await rig.logind()
            await rig.watch.start()
            try await rig.facts(.present)
            for _ in 0..<cycles {
                try await logind.lock("c1")
                try await rig.facts(.orderedToLock)
                try await logind.setLockedHint(true, "c1")
                try await rig.facts(.locked)
                try await logind.unlock("c1")
                try await logind.setLockedHint(false, "c1")
                try await rig.facts(.present)
            }
            let cycle: [SeatFacts] = [.orderedToLock, .locked, .present]
            #expect(rig.history == [.present] + (0..<cycles).flatMap { _ in cycle })
        }
    }
}
