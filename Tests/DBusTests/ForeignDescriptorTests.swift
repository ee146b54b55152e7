import DBus
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

/// Descriptors that other processes send.
@Suite struct ForeignDescriptorTests {
    /// Makes a call with descriptors in a process of its own. Returns the answer.
    private func attack(_ bus: PrivateBus, _ arguments: String...) async throws -> String {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "lingering-sockets.py").path
        let result = try await ChildProcess.run(
            ["/usr/bin/python3", script, bus.address] + arguments)
        #expect(result.status == .exited(0), "\(result.output) \(result.errors)")
        return result.output
    }

    @Test func takesNoMoreDescriptorsThanItsValuesName() async throws {
        try await Fixture.with { fixture in
            #expect(try await attack(fixture.bus, "Open", "files", "1", "1").contains("reply"))
            let refused = try await attack(fixture.bus, "Open", "files", "2", "1")
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

    @Test func valuesWithDescriptorsHaveNoBytes() throws {
        let file = Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
        let value = Value(["a": .descriptor(file)] as [BusText: Value])
        #expect(value.hasDescriptors)
        #expect(throws: DBusError.self) { try ValueBytes.encode([value]) }
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

    func handle(_ call: MethodCall) {
        let kept = Kept()
        reference.withLock { $0 = Weak(object: kept) }
        call.keepUntilClosed(kept)
        guard case .descriptor(let descriptor)? = try? call.body().first else { return }
        file.withLock { $0 = descriptor }
    }
}
