import DBus
import DictationTestKit
import EventLoop
import Testing

/// A bus with a service and a client on it.
struct Fixture {
    let bus: PrivateBus
    let service: Connection
    let client: Connection
    let echo: Echo

    /// Runs `body`, and then ends everything.
    static func with(
        _ bus: PrivateBus? = nil, handler: Echo = Echo(),
        _ body: (Fixture) async throws -> Void
    ) async throws {
        let bus = if let bus { bus } else { try await PrivateBus() }
        let fixture = Fixture(
            bus: bus, service: try await Connection(to: .custom(bus.address)),
            client: try await Connection(to: .custom(bus.address)), echo: handler)
        await fixture.service.export(.echo, interfaces: [.echo, .faulty], handler: handler)
        #expect(try await fixture.service.requestName(.echo) == .primaryOwner)
        do {
            try await body(fixture)
        } catch {
            await fixture.end()
            throw error
        }
        await fixture.end()
    }

    /// `with(_:)` in a process of its own, where an error that is thrown would be lost.
    static func inThisProcess(_ body: (Fixture) async throws -> Void) async {
        do { try await with(nil, body) } catch { Issue.record(error) }
    }

    private func end() async {
        await client.close()
        await service.close()
    }

    /// Calls the echo service.
    func call(
        _ member: MemberName, _ body: [Value] = [], interface: InterfaceName? = .echo,
        path: ObjectPath = .echo,
        timeout: Duration? = timeout, flags: Message.Flags = []
    ) async throws -> [Value] {
        try await client.call(
            destination: .echo, path: path, interface: interface, member: member, body, timeout: timeout,
            flags: flags)
    }

    /// Calls the echo service and expects an error.
    func expectError(
        _ name: ErrorName, of member: MemberName, _ body: [Value] = [], interface: InterfaceName? = .echo,
        path: ObjectPath = .echo, saying text: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        do {
            let reply = try await call(member, body, interface: interface, path: path)
            Issue.record("\(member) returned \(reply)", sourceLocation: sourceLocation)
        } catch let error as DBusError {
            #expect(error.name == name, "\(error)", sourceLocation: sourceLocation)
            #expect(text.isEmpty || error.message.contains(text), sourceLocation: sourceLocation)
        }
    }
}

extension BusName {
    static let echo: BusName = "org.example.Echo"
}

extension ObjectPath {
    static let echo: ObjectPath = "/org/example/Echo"
}

extension InterfaceName {
    static let echo: InterfaceName = "org.example.Echo"
}

extension InterfaceDescription {
    static let echo = InterfaceDescription(
        .echo,
        methods: [
            Method("Echo", in: ["value": "v"], out: ["value": "v"], limits: .answer),
            Method("Join", in: ["words": "as", "options": "a{sv}"], out: ["text": "s", "count": "u"]),
            Method("Fail", in: ["name": "s", "message": "s"]),
            Method("FailStrangely"),
            Method("ReturnNUL", out: ["text": "s"]),
            Method("Lie", out: ["number": "u"]),
            Method("Wait", annotations: ["org.example.Slow": "<yes> & \"no\""]),
            Method("Number", in: ["number": "u"]),
            Method("AnswerTwice", out: ["number": "u"]),
            Method("SayThenReturnThenSay", in: ["word": "s"], out: ["word": "s"]),
            Method(
                "Open", in: ["file": "h"], out: ["text": "s", "copy": "h"],
                limits: MessageLimits(descriptors: 1)),
        ],
        signals: [Signal("Said", ["word": "s"])],
        properties: [
            Property("Volume", "d", .readwrite),
            Property("Caller", "s", change: .nothing),
            Property("Secret", "s", .write, change: .invalidates),
        ])

    /// Its property has another type than described.
    static let faulty = InterfaceDescription("org.example.Faulty", properties: [Property("Wrong", "u")])
}
