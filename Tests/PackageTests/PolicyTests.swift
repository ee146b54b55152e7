import DictationTestKit
import Foundation
import Testing

/// The system bus's policy allows the interface's methods and nothing else.
@Suite struct PolicyTests {
    static let file = repository.appending(path: "dbus/org.example.Dictation.conf")
    static let name = "org.example.Dictation"

    /// The methods of every object on a bus. The service has no writable properties.
    static let standard: Set<InterfaceMethod> = [
        .init(interface: "org.freedesktop.DBus.Introspectable", member: "Introspect", descriptors: 0),
        .init(interface: "org.freedesktop.DBus.Peer", member: "GetMachineId", descriptors: 0),
        .init(interface: "org.freedesktop.DBus.Peer", member: "Ping", descriptors: 0),
        .init(interface: "org.freedesktop.DBus.Properties", member: "Get", descriptors: 0),
        .init(interface: "org.freedesktop.DBus.Properties", member: "GetAll", descriptors: 0),
    ]

    private let rules: [BusPolicy.Rule]
    private let methods: InterfaceMethods

    init() throws {
        rules = try BusPolicy(String(contentsOf: Self.file, encoding: .utf8)).rules
        methods = try InterfaceMethods(folder: repository.appending(path: "dbus"))
    }

    @Test func everyMethodOfTheInterfaceIsAllowedByNameAndNoOther() {
        let calls = rules.filter { $0.context == "default" && $0.isAllowed }
        let allowed = Set(calls.compactMap(\.call))
        #expect(allowed.count == calls.count, "each rule names an interface and a member, once")
        let expected = methods.served.union(Self.standard)
        #expect(methods.served.count >= 12)
        #expect(expected.subtracting(allowed).isEmpty, "to be allowed: \(expected.subtracting(allowed))")
        #expect(
            allowed.subtracting(expected).isEmpty, "not in the interface: \(allowed.subtracting(expected))")
    }

    @Test func everyRuleNamesItsDestination() {
        for rule in rules where rule.context == "default" && rule.attributes["own"] == nil {
            #expect(rule.attributes["send_destination"] == Self.name, "\(rule)")
        }
        #expect(!rules.contains { rule in rule.attributes.keys.contains { $0.hasPrefix("receive") } })
    }

    @Test func denyComesFirst() throws {
        let common = rules.filter { $0.context == "default" }
        let refusals = common.prefix { !$0.isAllowed }.map(\.attributes)
        #expect(refusals == [["own": Self.name], ["send_destination": Self.name]])
        #expect(common.dropFirst(refusals.count).allSatisfy { $0.isAllowed })
    }

    @Test func theServicesUserMayOwnTheNameCallAgentsAndPingClients() {
        let own = BusPolicy.Rule(context: "dictation", isAllowed: true, attributes: ["own": Self.name])
        let calls = rules.filter { $0.context != "default" && $0 != own }
        #expect(rules.contains(own))
        #expect(calls.allSatisfy { $0.context == "dictation" && $0.isAllowed })
        let ping = InterfaceMethod(interface: "org.freedesktop.DBus.Peer", member: "Ping", descriptors: 0)
        #expect(Set(calls.map(\.call)) == Set(methods.called.union([ping]).map { $0 }))
    }
}
