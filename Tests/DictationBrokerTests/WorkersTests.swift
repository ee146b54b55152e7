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

/// How the broker starts, knows and answers workers. The workers are scripted; their connections are real.
@Suite struct WorkersTests {
    @Test func servesNoMoreUsersThanTheLimit() async throws {
        try await withWorkers { rig in
            for uid in UInt32(1)...64 {
                try rig.workers.want(uid)
                _ = try await rig.greet(uid)
            }
            let refusal = #expect(throws: Refusal.self) { try rig.workers.want(65) }
            #expect(refusal?.kind == .limitExceeded)
            #expect(rig.started == Array(1...64), "no worker is started for the one that is refused")
            // Those that are served still are.
            #expect(try rig.workers.link(of: 64, for: ":1.1") != nil)
        }
    }

    /// A user can become many others, by subordinate users.
    @Test func usersWithoutAWorkerDoNotTakeThePlacesOfOthers() async throws {
        try await withWorkers { rig in
            try rig.workers.want(100)
            let peer = try await rig.greet(100)
            await peer.close()
            try await eventually("its end is noticed") { rig.workers[100] == nil }
            for uid in UInt32(1)...8 { try rig.workers.want(uid) }
            let refusal = #expect(throws: Refusal.self) { try rig.workers.want(9) }
            #expect(refusal?.kind == .limitExceeded)
            try rig.workers.want(100)
            // Who gets a worker is known.
            _ = try await rig.greet(1)
            try rig.workers.want(9)
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

    /// Whether the broker calls it, or answers its calls.
    @Test(arguments: [false, true])
    func aWorkerThatDoesNotReadIsCutOff(itCalls: Bool) async throws {
        try await withWorkers(mostUnread: 1 << 20) { rig in
            try rig.workers.want(7)
            let worker = try await rig.greet(7)
            try await eventually("it is accepted") { rig.workers[7] != nil }
            let link = try #require(rig.workers[7])
            if itCalls {
                var call = Message(.methodCall)
                call.path = DictationBrokerInterface.path
                call.interface = .introspectable
                call.member = "Introspect"
                for _ in 0..<200 where link.isConnected {
                    // Few enough for the socket. What waits to be written would also be read.
                    worker.transport.pausesReading = true
                    for _ in 0..<100 where worker.isConnected { try worker.send(call) }
                    for _ in 0..<20 { await Task.yield() }
                }
            } else {
                worker.transport.pausesReading = true
                let identity = Identity(uid: 7, kind: .executable, id: "/bin/allowed")
                for _ in 0..<20_000 where link.isConnected { link.inform(identity, .granted) }
            }
            try await eventually("it is cut off") { !link.isConnected }
            #expect(rig.logged.first == "a worker does not read", "it is not asked whether it answers")
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

    /// Nobody waits for a worker whose start fails at once.
    @Test func aStartThatFailsAtOnceIsAnErrorOfTheCall() async throws {
        try await withWorkers { rig in
            rig.starter.refusal = Refusal(.engineFailed, "It cannot be started.")
            let refusal = #expect(throws: Refusal.self) { try rig.workers.link(of: 7, for: ":1.1") }
            #expect(refusal?.kind == .engineFailed)
            rig.starter.refusal = nil
            try await eventually("it is tried again") {
                (try? rig.workers.want(7)) != nil
            }
            #expect(try rig.workers.link(of: 7, for: ":1.1") == nil)
            _ = try await rig.greet(7)
            try await eventually("the calls continue") { rig.resumed == [":1.1"] }
            #expect(rig.errors.isEmpty)
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

    /// It is nobody's worker: not even signals to clients that nobody knows are passed on.
    @Test func nothingOfAnUnknownProcessIsPassedOn() async throws {
        try await withWorkers { rig in
            let peer = try await rig.connect()
            @EventLoopActor func send() throws {
                for destination in [nil, ":1.7"] as [BusName?] {
                    try peer.emit(
                        path: DictationInterface.path, interface: DictationInterface.name, member: "Final",
                        [.string("forged")], to: destination)
                }
            }
            try send()
            // Its reply follows all of these.
            let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
            let error = await #expect(throws: DBusError.self) { try await proxy.needed(needed: true) }
            #expect(error?.name == .accessDenied)
            #expect(rig.signals.isEmpty)
            _ = try await rig.hello(7, over: peer)
            try send()
            try await proxy.needed(needed: false)
            #expect(rig.signals == [7, 7])
        }
    }

    @Test func onlyTheFirstCallIsHello() async throws {
        try await withWorkers { rig in
            let peer = try await rig.greet(7)
            let error = await #expect(throws: DBusError.self) { try await rig.hello(8, over: peer) }
            #expect(error?.name == .accessDenied)
            #expect(rig.workers[7] != nil && rig.workers[8] == nil)
        }
    }

    /// Also one that leaves no further numbers.
    @Test(arguments: [0, 1 << 20, (1 << 62) - 1, 1 << 62, 1 << 63, .max - (1 << 20), .max] as [UInt64])
    func aWorkerMayClaimAnyNumberOfASession(number: UInt64) async throws {
        try await withWorkers { rig in
            let peer = try await rig.connect()
            var given: UInt64?
            do {
                given = try await rig.hello(7, session: number, over: peer)[BrokerKey.session]
                    .flatMap { UInt64($0) }
                #expect(given == number)
            } catch let error as DBusError {
                #expect(error.name == .invalidArgs)
            }
            #expect((given != nil) == (number < 1 << 62))
            await peer.close()
            try await eventually("its end is noticed") { rig.workers[7] == nil }
            let next = try await rig.hello(7, over: try await rig.connect())
            let last = try #require(next[BrokerKey.session].flatMap { UInt64($0) })
            #expect(last != given || number == 0)
            #expect(last < 1 << 62)
        }
    }

    /// Before Hello and after it.
    @Test func noCallOfAWorkerEndsTheBroker() async throws {
        var random = TestRandom()
        try await withWorkers { rig in
            for round in 0..<20 {
                let peer = try await rig.connect()
                if round > 5 { _ = try? await rig.hello(UInt32(round), over: peer) }
                for _ in 0..<20 where peer.isConnected {
                    let method = try #require(DictationBrokerMethod.allCases.randomElement(using: &random))
                    // What it returns does not matter.
                    _ = try? await peer.call(
                        destination: .peer, path: DictationBrokerInterface.path,
                        interface: DictationBrokerInterface.name,
                        member: MemberName(stringLiteral: method.rawValue),
                        extremeArguments(of: method, using: &random), timeout: .seconds(20))
                }
                await peer.close()
            }
            try await eventually("their ends are noticed") {
                rig.workers[77] == nil && rig.workers[19] == nil
            }
            _ = try await rig.greet(77)
        }
    }

    private func extremeArguments(
        of method: DictationBrokerMethod, using random: inout TestRandom
    ) -> [Value] {
        let numbers: [UInt64] = [0, 1, 1 << 20, (1 << 62) - 1, 1 << 62, 1 << 63, .max - 1, .max]
        let names = ["", ":1.7", ":peer.0", "org.freedesktop.DBus", String(repeating: "x", count: 300)]
        func list<Element>(of elements: [Element]) -> [Element] {
            (0..<Int.random(in: 0...600, using: &random)).compactMap { _ in
                elements.randomElement(using: &random)
            }
        }
        switch method {
        case .hello:
            var worker: [BusText: Value] = [
                WorkerKey.protocol: .uint32(WorkerGreeting.version), WorkerKey.uid: .uint32(77),
                WorkerKey.session: .uint64(0), WorkerKey.owners: .array([], of: "(sss)"),
                WorkerKey.applications: .array([], of: "(ss)"),
            ]
            let values: [Value] =
                numbers.map { .uint64($0) } + names.map { .string($0) }
                + [
                    .uint32(.max), .uint32(0), .int64(.min), .double(.infinity), .bool(true),
                    .array(
                        list(of: names).map {
                            .structure([.string($0), .string("executable"), .string($0)])
                        }, of: "(sss)"),
                    .array(list(of: names).map { .structure([.string("app"), .string($0)]) }, of: "(ss)"),
                ]
            if let key = worker.keys.sorted().randomElement(using: &random) {
                worker[key] = values.randomElement(using: &random)
            }
            return [Value(worker)]
        case .needed: return [.bool(.random(using: &random))]
        case .sessions:
            return [Value(list(of: numbers)), Value(list(of: names))]
        case .ping: return [.string(names.randomElement(using: &random) ?? "")]
        case .bye: return []
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

    @EventLoopActor @Test func theBusIsAskedAboutSeveralOwnersAtOnce() async throws {
        var (running, most) = (0, 0)
        try await withWorkers(owns: { _ in
            running += 1
            most = max(most, running)
            for _ in 0..<20 { await Task.yield() }
            running -= 1
            return false
        }) { rig in
            let owners = (1...200).map { ":1.\($0)" }
            let reply = try await rig.hello(7, owners: owners, over: try await rig.connect())
            let vanished = reply[BrokerKey.vanished].flatMap { [String]($0) } ?? []
            #expect(Set(vanished) == Set(owners))
            #expect((2...16).contains(most))
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
}
