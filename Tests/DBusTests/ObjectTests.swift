import DBus
import Testing

@Suite struct ObjectTests {
    @Test func readsAndWritesProperties() async throws {
        try await Fixture.with { fixture in
            #expect(try await fixture.get("Volume") == .double(0.5))
            try await fixture.set("Volume", to: .double(0.75))
            #expect(try await fixture.get("Volume") == .double(0.75))
            #expect(try await fixture.get("Volume", of: "") == .double(0.75))
            try await fixture.set("Secret", to: .string("clear"))
            #expect(fixture.echo.secret == "clear")
            let all = try await fixture.properties("GetAll", [.string("org.example.Echo")])
                .decoded(as: [BusText: Value].self)
            #expect(
                all == ["Volume": .double(0.75), "Caller": .string(fixture.client.uniqueName.rawValue)])
            let none = try await fixture.properties("GetAll", [.string("org.freedesktop.DBus.Peer")])
            #expect(none == [Value([BusText: Value]())])
        }
    }

    @Test func forbiddenAccessGetsTheStandardError() async throws {
        try await Fixture.with { fixture in
            let echo = Value.string("org.example.Echo")
            func expect(_ name: ErrorName, _ member: MemberName, _ body: [Value]) async throws {
                try await fixture.expectError(name, of: member, body, interface: .properties)
            }
            try await expect(.unknownProperty, "Get", [echo, .string("Pitch")])
            try await expect(.unknownProperty, "Set", [echo, .string("Pitch"), .variant(.double(1))])
            try await expect(.unknownInterface, "Get", [.string("org.example.Other"), .string("Volume")])
            try await expect(.unknownInterface, "GetAll", [.string("org.example.Other")])
            try await expect(.unknownInterface, "GetAll", [.string("no name at all")])
            try await expect(.accessDenied, "Get", [echo, .string("Secret")])
            try await expect(.propertyReadOnly, "Set", [echo, .string("Caller"), .variant(.string("me"))])
            try await expect(.invalidArgs, "Set", [echo, .string("Volume"), .variant(.string("loud"))])
            try await expect(.invalidArgs, "Set", [echo, .string("Volume"), .variant(.double(2))])
            try await expect(.invalidArgs, "Get", [echo])
            // An error of the service itself.
            try await expect(.failed, "Get", [.string("org.example.Faulty"), .string("Wrong")])
        }
    }

    @Test func signalsChangedPropertiesAsDescribed() async throws {
        try await Fixture.with { fixture in
            var changes = try await fixture.client.signals(
                MatchRule(sender: .echo, path: .echo, interface: .properties)
            ).makeAsyncIterator()
            let values: [BusText: Value] = [
                "Volume": .double(1), "Caller": .string("untold"), "Secret": .string("untold"),
                "Unknown": .bool(true),
            ]
            try await fixture.service.propertiesChanged(path: .echo, interface: .echo, changed: values)
            #expect(
                await changes.next()?.body
                    == [.string("org.example.Echo"), Value(["Volume": .double(1)]), Value(["Secret"])])

            // Nothing changed, so there is no signal.
            try await fixture.service.propertiesChanged(
                path: .echo, interface: .echo, changed: ["Caller": .string("untold")])
            try await fixture.service.propertiesChanged(
                path: .echo, interface: .echo, changed: [:], invalidated: ["Volume"],
                to: fixture.client.uniqueName)
            let last = await changes.next()
            #expect(
                last?.body == [.string("org.example.Echo"), Value([BusText: Value]()), Value(["Volume"])])
            #expect(last?.destination == fixture.client.uniqueName)
        }
    }

    @Test func introspectionListsObjectsAndTheirParents() async throws {
        try await Fixture.with { fixture in
            await fixture.service.export("/org/example/Echo/Deep/Down", interfaces: [], handler: fixture.echo)
            func introspect(_ path: ObjectPath) async throws -> String {
                try await fixture.call("Introspect", interface: .introspectable, path: path)
                    .decoded(as: String.self)
            }
            let xml = try await introspect(.echo)
            for line in [
                #"  <interface name="org.example.Echo">"#, #"    <method name="Join">"#,
                #"      <arg name="options" type="a{sv}" direction="in"/>"#,
                #"      <arg name="count" type="u" direction="out"/>"#,
                #"      <annotation name="org.example.Slow" value="&lt;yes&gt; &amp; &quot;no&quot;"/>"#,
                #"      <arg name="word" type="s"/>"#,
                #"    <property name="Volume" type="d" access="readwrite"/>"#,
                #"    <property name="Secret" type="s" access="write">"#,
                #"      <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="invalidates"/>"#,
                #"  <interface name="org.freedesktop.DBus.Properties">"#, #"  <node name="Deep"/>"#,
            ] {
                #expect(xml.split(separator: "\n").contains { $0 == line }, "\(line) in \(xml)")
            }
            let above = try await introspect("/org")
            #expect(above.contains(#"<node name="example"/>"#))
            #expect(!above.contains("Properties"))
            #expect(try await introspect("/org/example/Echo/Deep").contains(#"<node name="Down"/>"#))
            try await fixture.expectError(
                .unknownObject, of: "Introspect", interface: .introspectable, path: "/other")
        }
    }

    @Test func peerAnswersOnEveryPath() async throws {
        try await Fixture.with { fixture in
            for path in [ObjectPath.root, .echo, "/nothing/here"] {
                let reply = try await fixture.call("Ping", interface: .peer, path: path)
                #expect(reply == [])
            }
            let id = try await fixture.call("GetMachineId", interface: .peer).decoded(as: String.self)
            #expect(id.count == 32)
        }
    }
}

extension Fixture {
    func properties(_ member: MemberName, _ body: [Value]) async throws -> [Value] {
        try await call(member, body, interface: .properties)
    }

    func get(_ name: String, of interface: String = "org.example.Echo") async throws -> Value {
        try await properties("Get", [.string(interface), .string(name)]).decoded(as: Value.self)
    }

    func set(_ name: String, to value: Value) async throws {
        _ = try await properties("Set", [.string("org.example.Echo"), .string(name), .variant(value)])
    }
}
