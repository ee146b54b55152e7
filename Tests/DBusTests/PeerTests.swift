import DictationTestKit
import EventLoop
import Glibc
import Testing

@testable import DBus

/// Connections without a bus, and messages that a process between a bus and others passes on.
@Suite struct PeerTests {
    @Test func bothEndsCallEachOther() async throws {
        try await withPeers { here, there in
            let path: ObjectPath = "/object"
            for (end, text) in [(here, "here"), (there, "there")] {
                end.export(path, interfaces: [Self.interface], handler: Handler { $0.reply([.string(text)]) })
            }
            let answers = [
                try await call(over: here).decoded(as: String.self),
                try await call(over: there).decoded(as: String.self),
            ]
            #expect(answers == ["there", "here"])
        }
    }

    @Test func theOtherEndHasNoName() async throws {
        try await withPeers { here, there in
            var senders: [BusName] = []
            there.export(
                "/object", interfaces: [Self.interface],
                handler: Handler { call in
                    senders.append(call.sender)
                    call.reply([.string("")])
                })
            _ = try await call(over: here)
            try here.callWithoutReply(
                destination: .peer, path: "/object", interface: "org.example.Echo", member: "Say",
                for: ":1.42")
            try await eventually("both came") { senders == [.peer, ":1.42"] }
        }
    }

    /// Calls on a client's behalf keep their place among the client's calls.
    @Test func callsOfOneSenderStayInOrder() async throws {
        try await withPeers { here, there in
            var order: [UInt64] = []
            there.export(
                "/object", interfaces: [Self.counting],
                handler: Handler { call in
                    if case .uint64(let number)? = try? call.body().first { order.append(number) }
                    call.reply()
                })
            for number in UInt64(1)...200 {
                try here.callWithoutReply(
                    destination: .peer, path: "/object", interface: "org.example.Count", member: "Count",
                    [.uint64(number)], for: ":1.42")
            }
            try await eventually("all calls came") { order.count == 200 }
            #expect(order == Array(1...200))
        }
    }

    @Test func theServerKnowsTheProcess() async throws {
        try await withPeers { here, there in
            there.export(
                "/object", interfaces: [Self.interface], handler: Handler { $0.reply([.string("")]) })
            here.export("/object", interfaces: [Self.interface], handler: Handler { $0.reply([.string("")]) })
            _ = try await call(over: here)
            #expect(there.process?.uid == getuid())
            #expect(there.process?.pid == UInt32(getpid()))
        }
    }

    @EventLoopActor @Test func aConnectionThatIsNotKeptIsCutOff() async throws {
        let folder = try TemporaryDirectory()
        var users: [UInt32?] = []
        let server = try PeerServer(
            at: folder.path(of: "socket"), limits: PeerConnection.Limits(bytes: 1 << 20, descriptors: 0),
            accept: { users.append($0.process?.uid) })
        let here = try await PeerConnection(toServerAt: folder.path(of: "socket"))
        let error = await #expect(throws: DBusError.self) { try await call(over: here) }
        #expect(error?.name == .disconnected)
        #expect(users == [getuid()])
        server.stop()
    }

    @Test func aPeerThatSendsADescriptorIsCutOff() async throws {
        try await withPeers { here, there in
            there.export(
                "/object", interfaces: [Self.interface], handler: Handler { $0.reply([.string("")]) })
            // Descriptors can be sent when both have agreed on it.
            _ = try await call(over: here)
            try here.callWithoutReply(
                destination: .peer, path: "/object", interface: "org.example.Echo", member: "Say",
                [.descriptor(Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC)))])
            await there.disconnected()
        }
    }

    /// A peer that sends without end while nothing of it is released is no longer read.
    @Test func whatIsKeptOfAPeerIsLimited() async throws {
        var kept: [ReceivedMessage] = []
        try await withPeers(bytes: 64 << 10) { here, there in
            there.receiveForOthers = { kept.append($0) }
            let text = Value.string(String(repeating: "x", count: 1 << 10))
            for _ in 0..<1000 {
                try here.emit(path: "/object", interface: "org.example.Echo", member: "Said", [text])
            }
            try await eventually("the limit is reached") { kept.count > 32 }
            for _ in 0..<20 { await Task.yield() }
            #expect(kept.count < 200, "about 64 messages are kept")
            #expect(here.outgoingBytes > 0, "the rest waits with its sender")
            var count = kept.count
            while count < 1000 {
                kept = []
                try await eventually("reading continues") { !kept.isEmpty || count == 1000 }
                count += kept.count
            }
        }
    }

    /// What comes faster than the rate waits with its sender.
    @Test func aPeerThatSendsTooFastIsReadLater() async throws {
        var received = 0
        let rate = ReceivingRate(messages: 100, bytes: 1 << 20, burst: .milliseconds(200))
        try await withPeers(bytes: 16 << 10, rate: rate) { here, there in
            there.receiveForOthers = { _ in received += 1 }
            let begin = SuspendingClock.now
            let text = Value.string(String(repeating: "x", count: 1 << 10))
            for _ in 0..<1000 {
                try here.emit(path: "/object", interface: "org.example.Echo", member: "Said", [text])
            }
            try await eventually("some come", within: .seconds(60)) { received >= 100 }
            // 20 at once, and the others at the rate.
            let elapsed = SuspendingClock.now - begin
            #expect(elapsed >= .milliseconds(750), "\(elapsed)")
            #expect(received < 1000 && here.outgoingBytes > 0, "the rest waits with its sender")
        }
    }

    @Test func messagesAndBytesAreMetered() {
        let begin = SuspendingClock.now
        var meter = ReceivingMeter(ReceivingRate(messages: 1000, bytes: 1000, burst: .milliseconds(100)))
        #expect(meter.resumption(at: begin) == nil)
        for _ in 0..<100 { meter.count(bytes: 1, at: begin) }
        #expect(meter.resumption(at: begin) == nil)
        meter.count(bytes: 1, at: begin)
        #expect(meter.resumption(at: begin) == begin + .milliseconds(1))
        #expect(meter.resumption(at: begin + .milliseconds(1)) == nil)
        // A large message counts for long.
        meter.count(bytes: 5000, at: begin + .milliseconds(1))
        #expect(meter.resumption(at: begin + .milliseconds(1)) == begin + .milliseconds(5001))
        #expect(meter.resumption(at: begin + .seconds(10)) == nil)
    }

    @Test func theEndIsReported() async throws {
        try await withPeers { here, there in
            var hasEnded = false
            there.ended = { hasEnded = true }
            await here.close()
            try await eventually("the end is noticed") { hasEnded }
        }
    }

    // MARK: Passing on

    /// A call of a bus goes to a peer as it is, and its reply comes back the same way.
    @Test func passesCallsAndRepliesOn() async throws {
        try await withBroker { client, broker, worker in
            var senders: [BusName] = []
            worker.export(
                "/object", interfaces: [Self.interface],
                handler: Handler { call in
                    senders.append(call.sender)
                    call.reply([.string("from the worker")])
                })
            let reply = try await client.call(
                destination: broker, path: "/object", interface: "org.example.Echo", member: "Say")
            #expect(try reply.decoded(as: String.self) == "from the worker")
            #expect(senders == [client.uniqueName])
        }
    }

    @Test func passesErrorsOn() async throws {
        try await withBroker { client, broker, worker in
            worker.export(
                "/object", interfaces: [Self.interface],
                handler: Handler { $0.fail(.limitsExceeded("enough")) })
            let error = await #expect(throws: DBusError.self) {
                try await client.call(
                    destination: broker, path: "/object", interface: "org.example.Echo", member: "Say")
            }
            #expect(error == .limitsExceeded("enough"))
        }
    }

    @Test func passesSignalsOnToTheirDestination() async throws {
        try await withBroker { client, broker, worker in
            let said = try await client.signals(MatchRule(sender: broker, interface: "org.example.Echo"))
            try worker.emit(
                path: "/object", interface: "org.example.Echo", member: "Said", [.string("text")],
                to: client.uniqueName)
            for await signal in said {
                #expect(signal.sender == broker)
                #expect(signal.body == [.string("text")])
                return
            }
        }
    }

    /// A caller that expects no reply gets none, but the call is answered to the broker.
    @Test func callsWithoutReplyAreAnsweredToTheBroker() async throws {
        try await withBroker { client, broker, worker in
            var calls = 0
            worker.export(
                "/object", interfaces: [Self.interface],
                handler: Handler { call in
                    calls += 1
                    #expect(!call.flags.contains(.noReplyExpected))
                    call.reply([.string("")])
                })
            _ = try await client.call(
                destination: broker, path: "/object", interface: "org.example.Echo", member: "Say",
                flags: .noReplyExpected)
            _ = try await client.call(
                destination: broker, path: "/object", interface: "org.example.Echo", member: "Say")
            #expect(calls == 2)
        }
    }

    // MARK: Rig

    private static let interface = InterfaceDescription(
        "org.example.Echo", methods: [.init("Say", out: ["text": "s"])],
        signals: [.init("Said", ["text": "s"])])
    private static let counting = InterfaceDescription(
        "org.example.Count", methods: [.init("Count", in: ["number": "t"])])

    private struct Handler: ObjectHandler {
        let perform: @EventLoopActor @Sendable (MethodCall) -> Void

        init(_ perform: @escaping @EventLoopActor @Sendable (MethodCall) -> Void) { self.perform = perform }

        @EventLoopActor func handle(_ call: MethodCall) { perform(call) }
    }

    @EventLoopActor
    private func call(over peer: PeerConnection) async throws -> [Value] {
        try await peer.call(
            destination: .peer, path: "/object", interface: "org.example.Echo", member: "Say",
            timeout: .seconds(10))
    }

    @EventLoopActor
    private func withPeers(
        bytes: Int = 1 << 20, rate: ReceivingRate? = nil,
        _ body: @EventLoopActor (PeerConnection, PeerConnection) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "socket")
        var accepted: PeerConnection?
        let server = try PeerServer(
            at: path, limits: PeerConnection.Limits(bytes: bytes, descriptors: 0, rate: rate),
            accept: { accepted = $0 })
        let here = try await PeerConnection(toServerAt: path)
        try await eventually("it is accepted") { accepted != nil }
        let there = try #require(accepted)
        var failure: (any Error)?
        do {
            try await body(here, there)
        } catch {
            failure = error
        }
        server.stop()
        await here.close(within: .zero)
        await there.close(within: .zero)
        if let failure { throw failure }
    }

    /// A client on a bus, the name of a broker there, and the broker's worker.
    @EventLoopActor
    private func withBroker(
        _ body: @EventLoopActor (Connection, BusName, PeerConnection) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let broker = try await Connection(to: .custom(bus.address))
        let client = try await Connection(to: .custom(bus.address))
        try await withPeers { worker, link in
            var calls: [UInt32: MethodCall] = [:]
            broker.export(
                "/object", interfaces: [Self.interface],
                handler: Handler { call in
                    guard let message = call.message else { return }
                    calls[call.serial] = call
                    try? link.send(message)
                })
            link.receiveForOthers = { message in
                if message.header.kind == .signal {
                    try? broker.send(message)
                    return
                }
                guard let serial = message.header.replySerial, let call = calls.removeValue(forKey: serial),
                    message.header.destination == call.sender
                else { return }
                call.reply(with: message)
            }
            try await body(client, broker.uniqueName, worker)
        }
        await client.close()
        await broker.close()
    }
}
