import CDBus
import CLinux
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

    /// The beginning of a message that is too large ends the connection: the rest is not kept.
    @Test func aPeerWithATooLargeMessageIsCutOff() async throws {
        try await withPeers(messageBytes: 64 << 10) { here, there in
            var received = 0
            there.receiveForOthers = { _ in received += 1 }
            @EventLoopActor func send(_ bytes: Int) throws {
                try here.emit(
                    path: "/object", interface: "org.example.Echo", member: "Said",
                    [.string(String(repeating: "x", count: bytes))])
            }
            try send(60 << 10)
            try await eventually("a smaller one comes") { received == 1 }
            there.limitMessages(to: 1 << 20)
            try send(900 << 10)
            try await eventually("the limit has changed") { received == 2 }
            try send(2 << 20)
            await there.disconnected()
            #expect(received == 2)
        }
    }

    /// The sockets that are attached take a minute to close, and the server has the last descriptors of them: attached to the first
    /// byte, before or after it is decided whether the connection is kept.
    @Test(arguments: [true, false], [true, false])
    func descriptorsDoNotStopTheServer(kernelRefuses: Bool, keeps: Bool) async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "socket")
        let server = try await Acceptor(at: path, mayRefuseDescriptors: kernelRefuses, keeps: keeps)
        let gate = try await LoopGate()
        let sender = try ChildProcess(["/usr/bin/python3", "-uc", Self.lingering, path])
        // Attached before the server looks.
        let word = await Result { try await sender.line(of: .output) { $0 == "sent" || $0 == "refused" } }
        let begin = SuspendingClock.now
        gate.open()
        try await eventually("it is accepted") { await server.accepted == 1 }
        // Before Linux 6.16 the kernel refuses nothing.
        if try word.get() == "sent" {
            _ = try await sender.line(of: .output) { $0 == "cut off" }
            try await eventually("the connection is closed") { await !server.isConnected }
        } else {
            #expect(kernelRefuses)
            sender.kill()
        }
        _ = try await sender.exitStatus()
        await server.stop()
        #expect(SuspendingClock.now - begin < .seconds(20))
    }

    @EventLoopActor private final class Acceptor {
        private(set) var accepted = 0
        private var kept: [PeerConnection] = []
        private var server: PeerServer?

        init(at path: String, mayRefuseDescriptors: Bool, keeps: Bool) throws {
            server = try PeerServer(
                at: path, limits: PeerConnection.Limits(bytes: 1 << 20, descriptors: 0),
                mayRefuseDescriptors: mayRefuseDescriptors,
                accept: { [weak self] peer in
                    self?.accepted += 1
                    if keeps { self?.kept.append(peer) }
                })
        }

        var isConnected: Bool { kept.contains(where: \.isConnected) }

        func stop() {
            server?.stop()
            kept = []
        }
    }

    /// Sends a lingering socket with its first byte, and closes its own descriptors of it.
    private static let lingering = #"""
        import array, os, socket, struct, sys
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        lingering = socket.create_connection(listener.getsockname())
        lingering.setblocking(False)
        try:
            while True: lingering.send(b"x" * 65536)
        except BlockingIOError: pass
        lingering.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 60))
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(sys.argv[1])
        files = array.array("i", [lingering.fileno()])
        try: peer.sendmsg([b"\0"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
        except PermissionError:
            print("refused")
            sys.stdin.read()
        os.close(lingering.detach())
        print("sent")
        try: peer.recv(1)
        except ConnectionError: pass
        print("cut off")
        """#

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

    /// A turn reads more messages than the rate lets pass. The next turn reads when those were received.
    @Test func nothingIsReadAheadOfTheRate() async throws {
        var received = 0
        let rate = ReceivingRate(messages: 200, bytes: 1 << 20, burst: .milliseconds(100))
        try await withPeers(bytes: 256 << 10, rate: rate) { here, there in
            there.receiveForOthers = { _ in received += 1 }
            for _ in 0..<50_000 { try here.emit(path: "/o", interface: "a.b", member: "S") }
            try await eventually("some come") { received >= 100 }
            let (before, waiting) = (received, here.outgoingBytes)
            try await eventually("more come", within: .seconds(30)) { received >= before + 200 }
            // Each has more than 48 bytes.
            let read = (waiting - here.outgoingBytes) / 48
            #expect(read < 2 * (received - before) + 200, "\(received - before) were received")
        }
    }

    /// Also what nobody knows in the header.
    @Test func allBytesOfAMessageCount() async throws {
        var bytes = RawMessage.signal(header: 200_000)
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        let message = bytes.withUnsafeMutableBytes {
            dbus_message_demarshal($0.baseAddress, Int32($0.count), &error)
        }
        let size = bytes.count
        let pointer = Lock(SendablePointer(pointer: try #require(message)))
        try await withPeers { here, _ in
            let message = WireMessage(received: pointer.withLock { $0.pointer })
            #expect(here.bytes(of: message) == size)
        }
    }

    /// The memory of what the other end has not read is known, also if it consists of many small messages.
    @Test func unreadMessagesAreCounted() async throws {
        try await withPeers { here, there in
            var memory = 0
            there.queued = { memory = $0 }
            here.transport.pausesReading = true
            for _ in 0..<5000 { try there.emit(path: "/o", interface: "a.b", member: "S") }
            #expect(memory > there.outgoingBytes + there.outgoingBytes / 100 * 1024)
            #expect(memory <= there.outgoingBytes + 5000 * 1024)
            here.transport.pausesReading = false
            await there.flush()
            memory = 0
            try there.emit(path: "/o", interface: "a.b", member: "S")
            #expect(memory < 4096)
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
        bytes: Int = 1 << 20, messageBytes: Int = PeerConnection.Limits.largestMessage,
        rate: ReceivingRate? = nil,
        _ body: @EventLoopActor (PeerConnection, PeerConnection) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "socket")
        var accepted: PeerConnection?
        let server = try PeerServer(
            at: path,
            limits: PeerConnection.Limits(
                bytes: bytes, messageBytes: messageBytes, descriptors: 0, rate: rate),
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

private struct SendablePointer: @unchecked Sendable {
    // Proof: used by one test, on one thread after another.
    let pointer: OpaquePointer
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
