import DictationCore
import DictationInterface
import DictationTestKit
import EventLoop
import Glibc
import Logging
import Testing

@testable import DBus
@testable import DictationBroker
@testable import DictationBus

/// How the broker starts, knows and ends workers. The workers are scripted; their connections are real.
@Suite struct WorkersTests {
    @Test func servesNoMoreUsersThanTheLimit() async throws {
        try await withWorkers { rig in
            for uid in UInt32(1)...64 { try rig.workers.want(uid) }
            let refusal = #expect(throws: Refusal.self) { try rig.workers.want(65) }
            #expect(refusal?.kind == .limitExceeded)
            #expect(rig.started == Array(1...64), "no worker is started for the one that is refused")
            // Those that are served still are.
            #expect(try rig.workers.link(of: 64, for: ":1.1") == nil)
        }
    }

    @Test func servesNoFurtherUserWhileItEnds() async throws {
        try await withWorkers { rig in
            await rig.workers.shutDown()
            let refusal = #expect(throws: Refusal.self) { try rig.workers.want(2) }
            #expect(refusal?.kind == .cancelled)
            #expect(rig.started.isEmpty)
        }
    }

    @Test func callsWaitUntilTheWorkerGreets() async throws {
        try await withWorkers { rig in
            #expect(try rig.workers.link(of: 7, for: ":1.1") == nil)
            #expect(try rig.workers.link(of: 7, for: ":1.2") == nil)
            #expect(rig.started == [7] && rig.resumed.isEmpty)
            _ = try await rig.greet(7)
            try await eventually("their calls continue") { rig.resumed == [":1.1", ":1.2"] }
            #expect(rig.errors.isEmpty)
            #expect(try rig.workers.link(of: 7, for: ":1.3") != nil)
        }
    }

    @Test func aUserHasOneWorker() async throws {
        try await withWorkers { rig in
            try rig.workers.want(7)
            let first = try await rig.greet(7)
            let second = try await rig.connect()
            let error = await #expect(throws: DBusError.self) { try await rig.hello(7, over: second) }
            #expect(error?.name == .limitsExceeded)
            #expect(first.isConnected && rig.workers[7] != nil)
        }
    }

    /// Such as one in a sandbox.
    @Test func aProcessThatMayNotBeAWorkerIsRefused() async throws {
        try await withWorkers { rig in
            try rig.workers.want(99)
            let error = await #expect(throws: DBusError.self) {
                try await rig.hello(99, over: try await rig.connect())
            }
            #expect(error?.name == .accessDenied)
            #expect(rig.workers[99] == nil)
        }
    }

    /// The first call waits for it. Those that come right after are refused with the same reason.
    @Test func aWorkerThatDoesNotStartIsWaitedForOnce() async throws {
        try await withWorkers { rig in
            #expect(try rig.workers.link(of: 7, for: ":1.1") == nil)
            rig.starter.failed(7, Refusal(.timeout, "It did not start."))
            #expect(rig.resumed == [":1.1"] && rig.errors.count == 1)
            #expect(rig.starter.released == [7])
            let refusal = #expect(throws: Refusal.self) { try rig.workers.want(7) }
            #expect(refusal?.kind == .timeout)
            try await eventually("it is tried again") { (try? rig.workers.want(7)) != nil }
        }
    }

    /// A program must not keep those of others from connecting.
    @Test func connectionsThatDoNotGreetAreFew() async throws {
        try await withWorkers { rig in
            let strangers = [try await rig.connect(), try await rig.connect(), try await rig.connect()]
            let fourth = try await rig.connect()
            await fourth.disconnected()
            let remaining = strangers.count { $0.isConnected }
            #expect(remaining == 3)
        }
    }

    @Test func anotherProtocolIsRefused() async throws {
        try await withWorkers { rig in
            let peer = try await rig.connect()
            let error = await #expect(throws: DBusError.self) {
                try await rig.hello(7, version: WorkerGreeting.version + 1, over: peer)
            }
            #expect(error?.name == .invalidArgs)
            #expect(rig.workers[7] == nil)
        }
    }

    @Test func nothingIsAcceptedBeforeHello() async throws {
        try await withWorkers { rig in
            let proxy = DictationBrokerProxy(connection: try await rig.connect(), destination: .peer)
            let error = await #expect(throws: DBusError.self) { try await proxy.needed(needed: true) }
            #expect(error?.name == .accessDenied)
        }
    }

    /// Numbers of sessions are not used again, whatever worker counts them.
    @Test func eachWorkerHasNumbersOfItsOwn() async throws {
        try await withWorkers { rig in
            try rig.workers.want(7)
            let first = try await rig.connect()
            let low = try await rig.hello(7, session: 5, over: first)
            #expect(low[BrokerKey.session].flatMap { UInt64($0) } == 5)
            await first.close()
            try await eventually("its end is noticed") { rig.workers[7] == nil }
            let high = try await rig.hello(7, over: try await rig.connect())
            #expect(high[BrokerKey.session].flatMap { UInt64($0) } ?? 0 > 1000)
        }
    }

    @Test func ownersThatHaveLeftTheBusAreNamed() async throws {
        try await withWorkers(owns: { name in
            if name == ":1.9" { throw TestFailure("no reply") }
            return name == ":1.7"
        }) { rig in
            let reply = try await rig.hello(
                7, owners: [":1.7", ":1.8", ":1.9"], over: try await rig.connect())
            #expect(rig.permissions.count == 1, "it is told what the sessions' application may do")
            // One that is not known may exist.
            #expect(reply[BrokerKey.vanished].flatMap { [String]($0) } == [":1.8"])
        }
    }

    /// A worker guesses the serials of other users' calls.
    @Test func aReplyToNobodysCallGoesNowhere() async throws {
        try await withWorkers { rig in
            let peer = try await rig.greet(7)
            for serial in UInt32(1)...20 {
                var reply = Message(.methodReturn)
                reply.flags = .noReplyExpected
                reply.destination = ":1.7"
                reply.replySerial = serial
                reply.body = [.string("forged")]
                try peer.send(reply)
            }
            // Its reply follows all of these.
            try await DictationBrokerProxy(connection: peer, destination: .peer).needed(needed: false)
            #expect(rig.answered.isEmpty)
            #expect(peer.isConnected)
        }
    }

    @Test func aWorkerThatIsNotNeededEnds() async throws {
        try await withWorkers { rig in
            let peer = try await rig.greet(7)
            let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
            try await proxy.needed(needed: true)
            #expect(!rig.workers.areIdle)
            try await proxy.needed(needed: false)
            #expect(rig.workers.areIdle)
            try await eventually("it is asked to end") { rig.ends == [7] }
            #expect(rig.starter.released == [7], "it is not started again when it ends")
            // A call that comes meanwhile starts another one.
            #expect(try rig.workers.link(of: 7, for: ":1.1") == nil)
            #expect(rig.started.isEmpty)
            await peer.close()
            try await eventually("another one is started") { rig.started == [7] }
        }
    }

    /// A connection that calls then must not be taken for an unknown program.
    @Test func whoNeedsAWorkerThatIsEndingGetsTheNext() async throws {
        try await withWorkers { rig in
            let peer = try await rig.greet(7)
            let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
            try await proxy.needed(needed: true)
            try await proxy.needed(needed: false)
            try await eventually("it is asked to end") { rig.ends == [7] }
            let next = Task.immediate { @EventLoopActor in try await rig.workers.require(7).uid }
            try await proxy.bye()
            await peer.close()
            try await eventually("another one is started") { rig.started == [7] }
            _ = try await rig.greet(7)
            #expect(try await next.value == 7)
        }
    }

    @Test func aWorkerThatFailsIsReplaced() async throws {
        try await withWorkers { rig in
            let peer = try await rig.greet(7)
            let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
            try await proxy.needed(needed: true)
            try await proxy.sessions(numbers: [3], owners: [":1.7"])
            await peer.close()
            try await eventually("another one is started") { rig.started == [7] }
            _ = try await rig.greet(7)
            try await eventually("it replaces the first") { rig.replaced == [7] }
            #expect(rig.lost == [WorkerSession(number: 3, owner: ":1.7")])
        }
    }

    @Test func aWorkerThatEndsOnPurposeIsNotReplaced() async throws {
        try await withWorkers { rig in
            let peer = try await rig.greet(7)
            let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
            try await proxy.needed(needed: true)
            try await proxy.bye()
            await peer.close()
            try await eventually("its end is noticed") { rig.workers[7] == nil }
            #expect(rig.started.isEmpty)
            _ = try await rig.greet(7)
            #expect(rig.replaced.isEmpty)
        }
    }

    @Test func aWorkerThatFailsAgainAndAgainIsNotStartedForAWhile() {
        let start = SuspendingClock.now
        var failures = WorkerFailures()
        for second in 0..<4 { failures.add(at: start + .seconds(second)) }
        #expect(failures.pause(at: start + .seconds(4)) == nil)
        failures.add(at: start + .seconds(4))
        #expect(failures.pause(at: start + .seconds(4)) == .seconds(10))
        #expect(failures.pause(at: start + .seconds(14)) == nil)
        for second in 20..<25 { failures.add(at: start + .seconds(second)) }
        #expect(failures.pause(at: start + .seconds(24)) == .seconds(20), "it doubles")
        // One failure a minute is none of these.
        var rare = WorkerFailures()
        for minute in 0..<10 { rare.add(at: start + .seconds(61 * minute)) }
        #expect(rare.pause(at: start + .seconds(61 * 9)) == nil)
    }

    // MARK: Rig

    @EventLoopActor
    private final class Rig {
        let workers: Workers
        let path: String
        let starter: ScriptedStarter
        var started: [UInt32] { starter.started }
        var resumed: [BusName] = []
        var errors: [DBusError] = []
        /// Users whose workers were asked to end.
        var ends: [UInt32] = []
        /// Calls with a reply.
        var answered: [MethodCall] = []
        var permissions: [[Value]] = []
        /// Users whose workers have replaced others, and the sessions of the others.
        var replaced: [UInt32] = []
        var lost: [WorkerSession] = []
        private var peers: [PeerConnection] = []
        private let server: PeerServer

        init(in folder: String, owns: @escaping @EventLoopActor (BusName) async throws -> Bool) throws {
            path = folder + "/broker"
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let starter = ScriptedStarter()
            self.starter = starter
            let workers = Workers(
                starter: starter, owner: getuid(), linger: .milliseconds(500), logger: logger,
                accepts: { process, uid in process.uid == getuid() && uid != 99 })
            self.workers = workers
            server = try PeerServer(
                at: path, limits: PeerConnection.Limits(bytes: 1 << 16, descriptors: 0),
                accept: { workers.connected($0) })
            workers.begin(
                brokerAt: path,
                Workers.Handlers { [unowned self] names, error in
                    resumed += names
                    if let error { errors.append(error) }
                } answered: { [unowned self] call, _ in
                    answered.append(call)
                } signalled: { _, _ in
                } ping: { _, _, completion in
                    completion(true)
                } permission: { identity in
                    identity.id == "/bin/allowed" ? .granted : .notDetermined
                } owns: { name in
                    try await owns(name)
                } replaced: { [unowned self] link, sessions in
                    replaced.append(link.uid ?? 0)
                    lost += sessions
                })
        }

        /// A worker's connection.
        func connect() async throws -> PeerConnection {
            let peer = try await PeerConnection(toServerAt: path)
            peers.append(peer)
            return peer
        }

        func hello(
            _ uid: UInt32, version: UInt32 = WorkerGreeting.version, session: UInt64 = 0,
            owners: [String] = [], over peer: PeerConnection
        ) async throws -> [BusText: Value] {
            peer.export(
                DictationWorkerInterface.path, interfaces: [DictationWorkerInterface.description],
                handler: ScriptedWorker { [weak self] call in
                    if call.member == "End" { self?.ends.append(uid) }
                    if call.member == "Permission", let body = try? call.body() {
                        self?.permissions.append(body)
                    }
                    call.reply()
                })
            return try await DictationBrokerProxy(connection: peer, destination: .peer).hello(worker: [
                WorkerKey.protocol: .uint32(version), WorkerKey.uid: .uint32(uid),
                WorkerKey.session: .uint64(session),
                WorkerKey.owners: .array(
                    owners.map { .structure([.string($0), .string("executable"), .string("/bin/allowed")]) },
                    of: "(sss)"),
            ])
        }

        func greet(_ uid: UInt32) async throws -> PeerConnection {
            let peer = try await connect()
            _ = try await hello(uid, over: peer)
            return peer
        }

        func end() async {
            for peer in peers { await peer.close() }
            server.stop()
        }
    }

    @EventLoopActor
    private final class ScriptedStarter: WorkerStarter {
        var started: [UInt32] = []
        /// Users whose workers are not to be started again.
        var released: [UInt32] = []
        let neededUsers: [UInt32] = []
        let advice = "See its log."
        var failed: @EventLoopActor (UInt32, Refusal) -> Void = { _, _ in }

        func begin(brokerAt path: String, failed: @escaping @EventLoopActor (UInt32, Refusal) -> Void) {
            self.failed = failed
        }

        func start(_ uid: UInt32) { started.append(uid) }
        func release(_ uid: UInt32) { released.append(uid) }
        func kill(_ uid: UInt32) {}
        func allEnded() async {}
    }

    private struct ScriptedWorker: ObjectHandler {
        let perform: @EventLoopActor @Sendable (MethodCall) -> Void

        @EventLoopActor func handle(_ call: MethodCall) { perform(call) }
    }

    @EventLoopActor
    private func withWorkers(
        owns: @escaping @EventLoopActor (BusName) async throws -> Bool = { _ in true },
        _ body: @EventLoopActor (Rig) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        let rig = try Rig(in: folder.path, owns: owns)
        var failure: (any Error)?
        do {
            try await body(rig)
        } catch {
            failure = error
        }
        await rig.end()
        if let failure { throw failure }
    }
}
