import DBus
import DictationTestKit
import EventLoop
import Glibc
import Testing

@Suite struct ConnectionTests {
    @Test func aMissingBusIsAnError() async throws {
        let directory = try TemporaryDirectory()
        for address in [
            "", "nonsense", "unix:path=/does/not/exist", "unix:path=\(directory.path)/no\0", "a:b=%zz",
        ] {
            await #expect(throws: DBusError.self) {
                _ = try await Connection(to: .custom(address))
            }
        }
    }

    @Test func losingTheBusFailsCallsAndEndsStreams() async throws {
        try await Fixture.with { fixture in
            let stream = try await fixture.client.signals(MatchRule(sender: .echo))
            let calls = (0..<10).map { _ in Task { try await fixture.call("Wait", timeout: nil) } }
            let flood = Task {
                for number in 0..<1_000_000 {
                    _ = try await fixture.call("Number", [.uint32(UInt32(number))], flags: .noReplyExpected)
                }
            }
            try await eventually("the calls are begun") { fixture.echo.waiting == 10 }
            try await fixture.bus.kill()
            await fixture.client.disconnected()
            await fixture.service.disconnected()
            for call in calls {
                await #expect(throws: DBusError.disconnected("the connection is closed")) {
                    try await call.value
                }
            }
            await #expect(throws: DBusError.self) { try await flood.value }
            for await _ in stream {}
            await #expect(throws: DBusError.disconnected("the connection is closed")) {
                try await fixture.call("Echo", [.variant(.bool(true))])
            }
            #expect(await !fixture.client.isConnected)
            await fixture.client.flush()
            fixture.echo.release()
        }
    }

    @Test func closingSendsTheQueueToASlowReader() async throws {
        try await Fixture.with { fixture in
            let text = String(repeating: "x", count: 1 << 20)
            var heard = try await fixture.client.signals(MatchRule(member: "Said")).makeAsyncIterator()
            try fixture.bus.daemon.stop()
            for number in 0..<20 { try await fixture.say("\(number)\(text)") }
            #expect(await fixture.service.outgoingBytes > 0)
            fixture.bus.daemon.send(SIGCONT)
            await fixture.service.close(within: timeout)
            #expect(await fixture.service.outgoingBytes == 0)
            for number in 0..<20 {
                guard case .string(let said)? = await heard.next()?.body.first else { return }
                #expect(said.string == "\(number)\(text)")
            }
            await #expect(throws: DBusError.self) { try await fixture.say("too late") }
        }
    }

    @Test func aReleasedConnectionIsClosed() async throws {
        try await Fixture.with { fixture in
            let vanished = AsyncStream.makeStream(of: BusName.self)
            try await fixture.service.onVanished { name in
                #expect(EventLoopActor.loop.isCurrent)
                vanished.continuation.yield(name)
            }
            let name = try await Connection(to: .custom(fixture.bus.address)).uniqueName
            var names = vanished.stream.makeAsyncIterator()
            #expect(await names.next() == name)
        }
    }

    @Test func reportsTheLossOfAName() async throws {
        try await Fixture.with { fixture in
            var lost = try await fixture.service.lostNames().makeAsyncIterator()
            #expect(try await fixture.client.owner(of: .echo) == fixture.service.uniqueName)
            #expect(try await fixture.service.requestName(.echo, .allowReplacement) == .alreadyOwner)
            #expect(try await fixture.client.requestName(.echo) == .exists)
            #expect(try await fixture.client.requestName(.echo, .replaceExisting) == .primaryOwner)
            #expect(await lost.next() == .echo)
            try await fixture.client.releaseName(.echo)
            try await fixture.service.releaseName(.echo)
            #expect(try await fixture.client.owner(of: .echo) == nil)
            await #expect(throws: DBusError.self) { try await fixture.client.requestName(":1.1") }
        }
    }

    @Test func returnsTheCredentialsOfAConnection() async throws {
        try await Fixture.with { fixture in
            let credentials = try await fixture.client.credentials(of: .echo)
            #expect(credentials.uid == getuid())
            #expect(credentials.pid == UInt32(getpid()))
            #expect(credentials.groups.contains(getgid()))
            await #expect(throws: DBusError.self) {
                _ = try await fixture.client.credentials(of: "org.example.Nobody")
            }
        }
    }

    @Test func aProcessCanHaveSeveralConnections() async throws {
        try await Fixture.with { fixture in
            let other = try await Connection(to: .custom(fixture.bus.address))
            #expect(other.uniqueName != fixture.service.uniqueName)
            let reply = try await other.call(
                destination: .echo, path: .echo, interface: .echo, member: "Echo", [.variant(.byte(1))])
            #expect(reply == [.variant(.byte(1))])
            await other.close()
        }
    }

    @Test func aFloodOfCallsDoesNotDelayOtherJobs() async throws {
        try await Fixture.with { fixture in
            let flooder = try await Connection(to: .custom(fixture.bus.address))
            let neighbour = try await Connection(to: .custom(fixture.bus.address))
            let flood = Task {
                while !Task.isCancelled {
                    try await flooder.callAll((0..<100).map { ("Number", [.uint32($0)]) })
                    await flooder.flush()
                }
            }
            try await eventually("the flood has come") { fixture.echo.numbers.count > 1000 }
            for _ in 0..<20 {
                await withCheckedContinuation { done in
                    EventLoopActor.schedule(after: .zero) { done.resume() }
                }
                #expect(try await neighbour.owner(of: .echo) == fixture.service.uniqueName)
            }
            flood.cancel()
            try? await flood.value
            await flooder.close()
            await neighbour.close()
        }
    }

    @Test func manyCallsAndConnectionsLeakNoDescriptor() async {
        await #expect(processExitsWith: .success) {
            await Fixture.inThisProcess { fixture in
                func round(_ count: Int) async throws {
                    for _ in 0..<count {
                        let reply = try await fixture.call("Echo", [.variant(.byte(1))])
                        try #require(reply == [.variant(.byte(1))])
                    }
                    let pipe = try Descriptor.pipe()
                    for _ in 0..<(count / 100) {
                        try #require(write(pipe.writing.rawValue, "x", 1) == 1)
                        _ = try await fixture.call("Open", [.descriptor(pipe.reading)])
                        try await Connection(to: .custom(fixture.bus.address)).close()
                    }
                }
                try await round(100)
                let before = try await openDescriptors()
                try await round(10_000)
                // Some of the first round may have been open then.
                try await eventually("all descriptors are closed") {
                    try await openDescriptors().count <= before.count
                }
            }
        }
    }

    @Test func refusesAHugeStringAndFreesItsMemory() async {
        await #expect(processExitsWith: .success) {
            await Fixture.inThisProcess { fixture in
                func round() async throws {
                    let text = String(repeating: "a", count: 64 << 20)
                    try await fixture.expectError(
                        .limitsExceeded, of: "Echo", [.variant(.string(text))])
                }
                try await round()
                let before = try residentBytes()
                for _ in 0..<3 { try await round() }
                try await eventually("the memory is given back") {
                    try isSanitized || residentBytes() < before + (32 << 20)
                }
                try #require(isSanitized || before < 256 << 20)
            }
        }
    }

    @Test func refusesAMessageWithTooManyValues() async throws {
        try await Fixture.with { fixture in
            let bytes = Value.array(Array(repeating: .byte(0), count: 2 << 20), of: "y")
            try await fixture.expectError(.limitsExceeded, of: "Echo", [.variant(bytes)])
            let reply = try await fixture.call("Echo", [.variant(.byte(1))])
            #expect(reply == [.variant(.byte(1))])
        }
    }
}

private func residentBytes() throws -> Int {
    let file = try #require(fopen("/proc/self/statm", "re"))
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 200)
    fgets(&buffer, Int32(buffer.count), file)
    let fields = String(decoding: buffer.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: " ")
    return try #require(Int(fields[1])) * Int(sysconf(Int32(_SC_PAGESIZE)))
}
