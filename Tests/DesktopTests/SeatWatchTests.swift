import DBus
import Desktop
import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Testing

@Suite struct SeatWatchTests {
    @Test func followsTheDisplaySession() async throws {
        try await withSeat { rig in
            let logind = try await rig.emptyLogind()
            try await logind.addSession("tty", of: SeatRig.uid, isActive: true)
            try await logind.addSession("display", of: SeatRig.uid, isActive: false)
            try await logind.addSession("other", of: SeatRig.uid + 1, isActive: true)
            try await logind.elect("display", for: SeatRig.uid)
            await rig.watch.start()
            try await rig.facts(.unknown)
            try await logind.setActive(true, "display")
            try await rig.facts(.present)
            try await logind.setLockedHint(true, "other")
            try await logind.lock("other")
            try await logind.setLockedHint(true, "tty")
            try await logind.setActive(false, "display")
            try await rig.facts(.unknown)
            try await logind.elect("tty", for: SeatRig.uid)
            try await rig.facts(.locked)
            #expect(rig.history == [.unknown, .present, .unknown, .locked])
        }
    }

    @Test func followsTheUsersSessionWithoutADisplaySession() async throws {
        try await withSeat { rig in
            let logind = try await rig.emptyLogind()
            try await logind.addSession("c1", of: SeatRig.uid)
            try await logind.setLockedHint(true, "c1")
            await rig.watch.start()
            try await rig.facts(.locked)
        }
    }

    @Test func followsLockedHint() async throws {
        try await withWatchedSession { rig, logind in
            try await logind.setLockedHint(true, "c1")
            try await rig.facts(.locked)
            try await logind.setLockedHint(false, "c1")
            try await rig.facts(.present)
        }
    }

    @Test func aLockSignalCountsUntilUnlock() async throws {
        try await withWatchedSession { rig, logind in
            try await logind.lock("c1")
            try await rig.facts(.orderedToLock)
            // Any other change causes a query, in which the hint does not say locked.
            try await logind.setActive(false, "c1")
            try await rig.facts(SeatFacts(isActive: false, lockedBy: .lockSignal))
            try await logind.setActive(true, "c1")
            try await logind.unlock("c1")
            try await rig.facts(.present)
        }
    }

    @Test func aLockSignalCountsUntilTheHintSaysUnlocked() async throws {
        try await withWatchedSession { rig, logind in
            try await logind.lock("c1")
            try await rig.facts(.orderedToLock)
            try await logind.setLockedHint(true, "c1")
            try await rig.facts(.locked)
            try await logind.setLockedHint(false, "c1")
            try await rig.facts(.present)
            #expect(rig.history == [.present, .orderedToLock, .locked, .present])
        }
    }

    @Test func aLockSignalCountsBeforeTheSessionIsFollowed() async throws {
        try await withWatchedSession { rig, logind in
            try await logind.addSession("c2", of: SeatRig.uid)
            try await logind.lock("c2")
            try await logind.elect("c2", for: SeatRig.uid)
            try await rig.facts(.orderedToLock)
            try await logind.elect("c1", for: SeatRig.uid)
            try await rig.facts(.present)
            try await logind.unlock("c2")
            try await logind.elect("c2", for: SeatRig.uid)
            try await logind.setActive(false, "c2")
            try await rig.facts(.unknown)
            #expect(rig.history == [.present, .orderedToLock, .present, .unknown])
        }
    }

    /// Whether the watch has queried the new session by then depends on timing, and makes no difference.
    @Test(arguments: [false, true]) func aNewSessionCanBeLocked(byOrder: Bool) async throws {
        try await withSeat { rig in
            let logind = try await rig.emptyLogind()
            await rig.watch.start()
            for number in 0..<cycles {
                let session = "c\(number)"
                try await logind.addSession(session, of: SeatRig.uid)
                try await logind.elect(session, for: SeatRig.uid)
                // A few calls later in each cycle than in the one before.
                for _ in 0..<(number % 10) { _ = try await logind.inhibitors() }
                if byOrder {
                    try await logind.lock(session)
                } else {
                    try await logind.setLockedHint(true, session)
                }
                try await rig.facts(byOrder ? .orderedToLock : .locked)
                try await logind.removeSession(session, of: SeatRig.uid)
                try await rig.facts(.unknown)
            }
        }
    }

    @Test func aReusedSessionNameDoesNotKeepTheLock() async throws {
        try await withWatchedSession { rig, logind in
            try await logind.lock("c1")
            try await rig.facts(.orderedToLock)
            try await logind.removeSession("c1", of: SeatRig.uid)
            try await rig.facts(.unknown)
            try await logind.addSession("c1", of: SeatRig.uid)
            try await logind.elect("c1", for: SeatRig.uid)
            try await rig.facts(.present)
        }
    }

    @Test func unlockDoesNotOverrideTheHint() async throws {
        try await withSeat { rig in
            let logind = try await rig.logind()
            await rig.watch.start()
            try await logind.setLockedHint(true, "c1")
            try await rig.facts(.locked)
            try await logind.unlock("c1")
            try await logind.setActive(false, "c1")
            try await rig.facts(SeatFacts(isActive: false, lockedBy: .lockedHint))
        }
    }

    @Test func aLoggedOutUserIsAway() async throws {
        for absence in [SeatWatch.Absence.present, .away] {
            try await withSeat(absence) { rig in
                let logind = try await rig.logind()
                await rig.watch.start()
                try await rig.facts(.present)
                try await logind.removeSession("c1", of: SeatRig.uid)
                try await rig.facts(.unknown)
                try await logind.addSession("c2", of: SeatRig.uid)
                try await logind.elect("c2", for: SeatRig.uid)
                try await rig.facts(.present)
            }
        }
    }

    // MARK: Unconfirmed locks

    @Test func aLockThatNoScreenConfirmsEndsWhenAPersonUsesDictation() async throws {
        try await withWatchedSession { rig, logind in
            try await logind.lock("c1")
            try await rig.facts(.orderedToLock)
            try await eventually("the act of a person counts") {
                await rig.watch.userActed()
                return rig.history.last == .present
            }
            #expect(rig.history == [.present, .orderedToLock, .present])
        }
    }

    @Test func theActOfAPersonDoesNotOverruleTheLockedHint() async throws {
        try await withSeat { rig in
            let logind = try await rig.logind()
            await rig.watch.start()
            try await logind.lock("c1")
            try await logind.setLockedHint(true, "c1")
            try await rig.facts(.locked)
            await rig.watch.userActed()
            try await logind.setActive(false, "c1")
            try await rig.facts(SeatFacts(isActive: false, lockedBy: .lockedHint))
        }
    }

    /// As if the administrator of a GNOME desktop has disabled its lock screen.
    @Test func anUnconfirmedLockTimesOut() async throws {
        try await withWatchedSession { rig, logind in
            await rig.watch.follow([.gnome: true])
            try await rig.facts(SeatFacts(lockedBy: .screenSaver(.gnome)))
            await rig.watch.follow([.gnome: false])
            try await rig.facts(.present)
            let before = rig.history.count
            try await logind.lock("c1")
            // The order counts for a short time only.
            try await eventually("the order has timed out", equals: [.orderedToLock, .present]) {
                Array(rig.history.dropFirst(before))
            }
        }
    }

    @Test func aScreenSaverCountsWithoutLogind() async throws {
        try await withSeat { rig in
            await rig.watch.start()
            try await rig.facts(.present)
            await rig.watch.follow([.kde: true])
            try await rig.facts(SeatFacts(lockedBy: .screenSaver(.kde)))
            let logind = try await rig.logind()
            try await logind.setActive(false, "c1")
            try await rig.facts(SeatFacts(isActive: false, lockedBy: .screenSaver(.kde)))
            await rig.watch.follow([.kde: false])
            try await rig.facts(.unknown)
        }
    }

    // MARK: No logind

    @Test func withoutLogindAUserIsPresentInTheirOwnSessionOnly() async throws {
        for (absence, facts) in [(SeatWatch.Absence.present, SeatFacts.present), (.away, .unknown)] {
            try await withSeat(absence) { rig in
                await rig.watch.start()
                try await rig.facts(facts)
                try await eventually("it is said") { rig.troubles.contains(.noSeat) }
                let logind = try await rig.logind()
                try await rig.facts(.present)
                try await logind.setLockedHint(true, "c1")
                try await rig.facts(.locked)
                #expect(rig.troubles.filter { $0 == .noSeat }.count == 1)
            }
        }
    }

    @Test func withoutASystemBusAUserIsPresentInTheirOwnSessionOnly() async throws {
        for (absence, facts) in [(SeatWatch.Absence.present, SeatFacts.present), (.away, .unknown)] {
            try await withSeat(absence, at: .custom("unix:path=/nowhere")) { rig in
                await rig.watch.start()
                try await rig.facts(facts)
                #expect(rig.troubles == [.noSystemBus])
            }
        }
    }

    @Test func keepsTheLastStateWhileLogindRestarts() async throws {
        try await withSeat(.present) { rig in
            let logind = try await rig.logind()
            try await logind.setLockedHint(true, "c1")
            await rig.watch.start()
            try await rig.facts(.locked)
            try await logind.mock.kill()
            let second = try await rig.logind()
            try await rig.facts(.present)
            #expect(rig.history.first == .locked)
            #expect(!rig.history.dropLast().contains(.present))
            try await eventually("sleep is delayed again") {
                try await second.inhibitors() == ["sleep Dictation delay"]
            }
        }
    }

    @Test func assumesNothingOfAnotherUserWithoutLogind() async throws {
        try await withSeat(.away) { rig in
            let logind = try await rig.logind()
            await rig.watch.start()
            try await rig.facts(.present)
            try await logind.mock.kill()
            try await rig.facts(.unknown)
            _ = try await rig.logind()
            try await rig.facts(.present)
        }
    }

    @Test func reconnectsAfterTheBusRestarts() async throws {
        let folder = try TemporaryDirectory()
        let socket = folder.path(of: "bus")
        try await withSeat(.present, at: .custom("unix:path=\(socket)")) { rig in
            try FileManager.default.createSymbolicLink(
                atPath: socket, withDestinationPath: rig.bus.directory.path(of: "bus"))
            let logind = try await rig.logind()
            try await logind.lock("c1")
            try await logind.setLockedHint(true, "c1")
            await rig.watch.start()
            try await rig.facts(.locked)
            try await rig.bus.kill()
            try await eventually("it is said") { rig.troubles == [.noSystemBus] }
            #expect(rig.history == [.locked])

            try await withSeat { other in
                let logind = try await other.logind()
                try FileManager.default.removeItem(atPath: socket)
                try FileManager.default.createSymbolicLink(
                    atPath: socket, withDestinationPath: other.bus.directory.path(of: "bus"))
                try await rig.facts(.present)
                try await logind.setActive(false, "c1")
                try await rig.facts(.unknown)
                await rig.watch.stop()
            }
        }
    }
}
