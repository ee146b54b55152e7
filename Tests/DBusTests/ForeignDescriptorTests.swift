import DBus
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

/// Descriptors that other processes send.
@Suite struct ForeignDescriptorTests {
    /// Makes a call with descriptors in a process of its own, which waits for a line before the call.
    private func sender(
        on bus: PrivateBus, _ path: ObjectPath, _ member: String, _ kind: String, count: Int, named: Int
    ) async throws -> ChildProcess {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "foreign-descriptors.py").path
        let sender = try ChildProcess([
            "/usr/bin/python3", script, bus.address, "\(bus.daemon.pid)", path.rawValue, member, kind,
            "\(count)",
            "\(named)",
        ])
        _ = try await sender.line(of: .output) { $0 == "ready" }
        return sender
    }

    /// Neither the sender nor the bus has a copy when the service reads the call: its own are the last, and each takes a
    /// minute to close. The call has more descriptors than its values name, or nobody handles it, or it is kept for a while.
    @Test(arguments: [("Wait", 16), ("NoSuchMethod", 16), ("Open", 1)])
    func lingeringSocketsDoNotStopTheLoop(member: String, count: Int) async throws {
        let keeper = Keeper()
        try await Fixture.with { fixture in
            await fixture.service.export("/keeper", interfaces: [.echo], handler: keeper)
            let sender = try await sender(
                on: fixture.bus, "/keeper", member, "sockets", count: count, named: 1)
            let gate = try await LoopGate()
            try sender.write("\n")
            let left = await Result { try await sender.line(of: .output) { $0 == "left" } }
            let duration = try await ContinuousClock().measure {
                gate.open()
                _ = try left.get()
                for number in 0..<20 {
                    _ = try await fixture.call("Number", [.uint32(UInt32(number))])
                    if number == 10 { await keeper.release() }
                }
            }
            #expect(duration < .seconds(30))
            #expect((member == "Open") == keeper.hasReceived)
        }
    }

    @Test func takesNoMoreDescriptorsThanItsValuesName() async throws {
        try await Fixture.with { fixture in
            func answer(to count: Int) async throws -> String {
                let sender = try await sender(
                    on: fixture.bus, .echo, "Open", "files", count: count, named: 1)
                try sender.write("\n")
                return try await sender.line(of: .output) { $0 != "ready" }
            }
            #expect(try await answer(to: 1) == "reply")
            let refused = try await answer(to: 2)
            #expect(refused.contains("org.freedesktop.DBus.Error.InvalidArgs"), "\(refused)")
        }
    }

    @Test func aLongPathIsRefusedWithAShortAnswer() async throws {
        try await Fixture.with { fixture in
            let path = ObjectPath(String(repeating: "/aaaaaaa", count: 1 << 17))
            let error = try await #require(throws: DBusError.self) {
                _ = try await fixture.call("Wait", path: try #require(path))
            }
            #expect(error.name == .unknownObject)
            #expect(error.message.utf8.count < 200)
        }
    }

    @Test func whatIsKeptUntilClosedOutlivesTheCall() async throws {
        let keeper = Keeper()
        try await Fixture.with { fixture in
            await fixture.service.export(
                "/keeper", interfaces: [.echo], handler: keeper)
            let file = Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
            _ = try? await fixture.call("Open", [.descriptor(file)], path: "/keeper")
            #expect(keeper.file.withLock { $0 } != nil)
            #expect(keeper.kept != nil)
            keeper.file.withLock { $0 = nil }
            try await eventually("it is released") { keeper.kept == nil }
        }
    }

    /// Also those of calls that were refused or answered count until they are closed.
    @Test func oneConnectionHasALimitedNumberOfOpenDescriptors() async throws {
        let keeper = Hoarder()
        try await Fixture.with { fixture in
            await fixture.service.export("/keeper", interfaces: [.echo], handler: keeper)
            let file = Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
            func hand(_ connection: Connection) async throws {
                _ = try await connection.call(
                    destination: .echo, path: "/keeper", interface: .echo, member: "Open", [.descriptor(file)]
                )
            }
            var fitting = 0
            await #expect(throws: DBusError.self) {
                while fitting < 1000 {
                    try await hand(fixture.client)
                    fitting += 1
                }
            }
            #expect(fitting == 64)
            let other = try await Connection(to: .custom(fixture.bus.address))
            try await hand(other)
            await other.close()
            keeper.files.withLock { $0 = [] }
            try await eventually("they are closed") { (try? await hand(fixture.client)) != nil }
            keeper.files.withLock { $0 = [] }
        }
    }

    /// Closing them waits for ever. They do not fill this process's table, and other connections get theirs through.
    @Test func filesThatCannotBeClosedAreReplaced() async throws {
        let bus = try await PrivateBus()
        let content = try bus.directory.write("content", to: "content")
        let files = try await StoppableFileSystem(serving: content, holdingClosesOf: getpid())
        let service = try await Connection(to: .custom(bus.address), limitsDescriptors: true)
        let client = try await Connection(to: .custom(bus.address))
        await service.export(.echo, interfaces: [.echo], handler: Closer())
        #expect(try await service.requestName(.echo) == .primaryOwner)
        /// The service gets the end of a pipe and closes it.
        func call() async throws {
            var ends = try Descriptor.pipe() as (reading: Descriptor, writing: Descriptor)?
            let reading = try #require(ends).reading
            let error = try await #require(throws: DBusError.self) {
                _ = try await client.call(
                    destination: .echo, path: .echo, interface: .echo, member: "Open",
                    [.descriptor(try #require(ends).writing)])
            }
            #expect(error.message == "closed")
            ends = nil
            try await eventually("no copy of it is open") {
                var end = pollfd(fd: reading.rawValue, events: Int16(POLLIN), revents: 0)
                return poll(&end, 1, 0) == 1 && end.revents & Int16(POLLHUP) != 0
            }
        }
        // Others count as one user before theirs is known.
        _ = try await service.credentials(of: client.uniqueName)
        try await call()
        let before = try await openDescriptors().count
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "unclosable-files.py").path
        let attack = try ChildProcess([
            "/usr/bin/python3", "-u", script, bus.address, files.path, "10", "60",
        ])
        let refused = try #require(Int(try await attack.line(of: .output)))
        #expect(refused >= 300, "of 600, and a user has 256")
        let grown = try await openDescriptors().count - before
        #expect(grown < 600, "two for each of a user's 256, and those of the test")
        for _ in 0..<10 { try await call() }
        attack.kill()
        _ = try await attack.exitStatus()
        await client.close()
        await service.close()
        withExtendedLifetime(files) {}
    }

    @Test func valuesWithDescriptorsHaveNoBytes() throws {
        let file = Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
        let value = Value(["a": .descriptor(file)] as [BusText: Value])
        #expect(value.hasDescriptors)
        #expect(throws: DBusError.self) { try ValueBytes.encode([value]) }
    }
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

/// Keeps the descriptors of all calls.
private final class Hoarder: ObjectHandler {
    let files = Lock<[Descriptor]>([])

    func handle(_ call: MethodCall) {
        guard case .descriptor(let descriptor)? = try? call.body().first else { return }
        files.withLock { $0.append(descriptor) }
        call.reply([.string(""), .descriptor(descriptor)])
    }
}

/// Closes the descriptors of all calls.
private struct Closer: ObjectHandler {
    func handle(_ call: MethodCall) {
        _ = try? call.body()
        call.fail(.failed("closed"))
    }
}

/// Keeps the descriptor of a call, and sees what is kept with it.
private final class Keeper: ObjectHandler {
    final class Kept: Sendable {}

    struct Weak: Sendable {
        weak let object: Kept?
    }

    let file = Lock<Descriptor?>(nil)
    private let reference = Lock<Weak?>(nil)

    var kept: Kept? { reference.withLock { $0?.object } }
    var hasReceived: Bool { reference.withLock { $0 != nil } }

    @EventLoopActor func release() { file.withLock { $0 = nil } }

    func handle(_ call: MethodCall) {
        let kept = Kept()
        reference.withLock { $0 = Weak(object: kept) }
        call.keepUntilClosed(kept)
        guard case .descriptor(let descriptor)? = try? call.body().first else { return }
        file.withLock { $0 = descriptor }
    }
}
