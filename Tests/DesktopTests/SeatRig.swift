import DBus
import Desktop
import DictationCore
import DictationTestKit
import EventLoop

/// A machine with a private logind and a watch over one of its users, with all published facts.
final class SeatRig: Sendable {
    static let uid: UInt32 = 1000

    let bus: PrivateBus
    /// The test's own connection.
    let connection: Connection
    let watch: SeatWatch
    private let record: Record

    final class Record: Sendable {
        let facts = Lock<[SeatFacts]>([])
        let troubles = Lock<[DesktopError]>([])
        /// They live as long as the rig does.
        let mocks = Lock<[MockLogind]>([])
        /// Told new facts.
        let react = Lock<(@EventLoopActor (SeatFacts) -> Void)?>(nil)
    }

    init(
        _ absence: SeatWatch.Absence, at address: BusAddress? = nil, lockConfirmation: Duration
    ) async throws {
        let record = Record()
        self.record = record
        bus = try await PrivateBus(.system)
        connection = try await Connection(to: .custom(bus.address))
        var timing = SeatWatch.Timing()
        timing.retry = .milliseconds(20)...(.milliseconds(20))
        timing.lockConfirmation = lockConfirmation
        watch = SeatWatch(
            over: Self.uid, bus: address ?? .custom(bus.address), absence: absence, timing: timing,
            publish: { facts in
                record.facts.withLock { $0.append(facts) }
                record.react.withLock { $0 }?(facts)
            },
            report: { error in record.troubles.withLock { $0.append(error) } })
    }

    func close() async {
        await watch.stop()
        await connection.close()
        // The handler may refer to this rig.
        record.react.withLock { $0 = nil }
    }

    /// A logind with one session of the user, `c1`, which is the display session.
    func logind() async throws -> MockLogind {
        let logind = try await emptyLogind()
        try await logind.addSession("c1", of: Self.uid)
        try await logind.elect("c1", for: Self.uid)
        return logind
    }

    /// A logind without users.
    func emptyLogind() async throws -> MockLogind {
        let logind = try await MockLogind(on: bus.address, by: connection)
        record.mocks.withLock { $0.append(logind) }
        return logind
    }

    /// All published facts, in order.
    var history: [SeatFacts] { record.facts.withLock { $0 } }

    var troubles: [DesktopError.Code] { record.troubles.withLock { $0 }.map(\.code) }

    /// Calls `body` with new facts.
    func react(_ body: @escaping @EventLoopActor (SeatFacts) -> Void) {
        record.react.withLock { $0 = body }
    }

    /// Waits until these are the latest facts.
    func facts(_ facts: SeatFacts) async throws {
        do {
            try await eventually("\(facts)") { history.last == facts }
        } catch {
            throw TestFailure("\(error); told: \(history); troubles: \(record.troubles.withLock { $0 })")
        }
    }
}

/// Runs a test with a watch, and then ends it.
/// - Parameter lockConfirmation: how long a lock screen may take to report after a request.
func withSeat(
    _ absence: SeatWatch.Absence = .present, at address: BusAddress? = nil,
    lockConfirmation: Duration = .milliseconds(200), _ body: (SeatRig) async throws -> Void
) async throws {
    let rig = try await SeatRig(absence, at: address, lockConfirmation: lockConfirmation)
    do {
        try await body(rig)
    } catch {
        await rig.close()
        throw error
    }
    await rig.close()
}

/// Runs a test with a watch that has seen the session `c1`, unlocked.
func withWatchedSession(_ body: (SeatRig, MockLogind) async throws -> Void) async throws {
    try await withSeat { rig in
        let logind = try await rig.logind()
        await rig.watch.start()
        try await rig.facts(.present)
        try await body(rig, logind)
    }
}

extension SeatFacts {
    static let locked = SeatFacts(lockedBy: .lockedHint)
    static let orderedToLock = SeatFacts(lockedBy: .lockSignal)
    static let asleep = SeatFacts(isAsleep: true)
}
