import DictationTestKit
import Foundation
import Glibc
import Testing

/// The default system bus with the shipped policy, called by other users.
@Suite struct PolicyBusTests {
    private static let refused = "org.freedesktop.DBus.Error.AccessDenied"
    static let callers = ["nobody", "bin"]

    private let allowed: [InterfaceMethod]

    init() throws {
        try #require(getuid() == 0, "needs root: to run programs as other users")
        let methods = try InterfaceMethods(folder: repository.appending(path: "dbus"))
        allowed = methods.served.union(PolicyTests.standard).sorted { "\($0)" < "\($1)" }
    }

    @Test(arguments: callers)
    func allowedCallsReachTheService(caller: String) async throws {
        let bus = try await PolicyBus()
        let service = try await bus.startService()
        let meant = allowed.map {
            PolicyBus.Attempt(interface: $0.interface, member: $0.member, descriptors: $0.descriptors ?? 0)
        }
        let outcomes = try await bus.outcomes(of: meant, as: caller)
        #expect(outcomes == meant.map { _ in "reached" })
        let tooMuch = meant.map {
            PolicyBus.Attempt(interface: $0.interface, member: $0.member, descriptors: $0.descriptors + 1)
        }
        #expect(try await bus.outcomes(of: tooMuch, as: caller) == tooMuch.map { _ in Self.refused })
        // The test service's library answers Peer automatically.
        let expected = allowed.filter { $0.interface != "org.freedesktop.DBus.Peer" }
            .map { "\($0.interface) \($0.member)" }
        try await eventually("the last call is printed") { service.lines(of: .output).last == expected.last }
        #expect(Array(service.lines(of: .output).dropFirst()) == expected)
    }

    @Test(arguments: callers)
    func otherCallsAreRefusedByTheBus(caller: String) async throws {
        let bus = try await PolicyBus()
        let service = try await bus.startService()
        var attempts: [PolicyBus.Attempt] = [
            .init(interface: "org.freedesktop.DBus.Properties", member: "Set"),
            .init(interface: "org.freedesktop.DBus.ObjectManager", member: "GetManagedObjects"),
            .init(interface: "org.freedesktop.DBus.Monitoring", member: "BecomeMonitor"),
            .init(interface: "org.freedesktop.DBus.Debug.Stats", member: "GetStats"),
            .init(interface: "org.example.Dictation.Agent", member: "RequestPermission"),
            .init(interface: "org.example.Dictation.Agent", member: "Cancel"),
        ]
        for interface in Set(allowed.map(\.interface)).sorted() {
            attempts.append(.init(interface: interface, member: "Nonsense"))
        }
        for method in allowed {
            // Without an interface, with an unknown one, and in the wrong case.
            attempts.append(.init(interface: nil, member: method.member))
            attempts.append(.init(interface: "org.example.Stranger", member: method.member))
            attempts.append(.init(interface: method.interface, member: method.member.uppercased()))
        }
        let outcomes = try await bus.outcomes(of: attempts, as: caller)
        for (attempt, outcome) in zip(attempts, outcomes) { #expect(outcome == Self.refused, "\(attempt)") }
        #expect(outcomes.count == attempts.count)
        // A signal has no reply: the call after it shows that the bus has forwarded it.
        let signals: [PolicyBus.Attempt] = [
            .init(interface: "org.example.Dictation", member: "Partial", isSignal: true),
            .init(interface: "org.freedesktop.DBus.Introspectable", member: "Introspect"),
        ]
        #expect(try await bus.outcomes(of: signals, as: caller) == ["sent", "reached"])
        let call = "org.freedesktop.DBus.Introspectable Introspect"
        _ = try await service.line(of: .output) { $0 == call }
        #expect(service.text(of: .output) == "ready\n\(call)\n")
    }

    @Test func nobodyElseMayTakeTheName() async throws {
        let bus = try await PolicyBus()
        for caller in Self.callers {
            #expect(try await bus.claim(as: caller).contains(Self.refused))
        }
        #expect(try await bus.claim(as: PolicyBus.serviceUser) == "(uint32 1,)\n")
    }
}
