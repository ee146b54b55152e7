import DBus
import DictationInterface
import DictationTestKit
import EventLoop
import ShellFields
import Testing
import Typing
import TypingRoutes

@Suite struct ShellRouteTests {
    private static let entry: [BusText: Value] = [
        "id": .string("entry"), "visit": .uint64(7), "purpose": .string("text"), "sensitive": .bool(false),
        "text": .string("Dear Ann,"), "cursor": .uint32(4), "selecting": .bool(false), "x": .int32(3),
        "y": .int32(-4), "live": .bool(true), "reports": .bool(true), "limit": .uint32(100),
        "application": .string("org.example.Mail"),
    ]

    /// A route, and what it reports.
    @EventLoopActor private final class Desk {
        let route: ShellRoute
        private(set) var events: [RouteEvent] = []

        init(_ bus: PrivateBus) {
            route = ShellRoute(environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
        }

        func open() async throws { try await route.open { [weak self] in self?.events.append($0) } }

        func waitForEvents(_ count: Int) async throws {
            try await eventually("\(count) events") { self.events.count >= count }
        }

        var fields: [TextField?] {
            events.compactMap { if case .field(let field) = $0 { .some(field) } else { nil } }
        }

        var loss: RouteError? {
            if case .lost(let error)? = events.last { error } else { nil }
        }
    }

    @Test func aFieldIsReportedWithAllThatTheShellKnows() async throws {
        let bus = try await PrivateBus()
        let shell = try await ScriptedShell(on: bus, field: Self.entry)
        let desk = await Desk(bus)
        try await desk.open()
        let expected = TextField(
            id: "entry", visit: 7, surrounding: SurroundingText("Dear Ann,", cursor: 4),
            place: CursorPlace(x: 3, y: -4), abilities: [.liveText, .deletion, .commitReports],
            commitLimit: 100, application: "org.example.Mail")
        #expect(await desk.fields == [expected])
        try await shell.report([:])
        try await shell.report(["id": .string("other"), "visit": .uint64(8), "purpose": .string("terminal")])
        try await desk.waitForEvents(3)
        #expect(
            await desk.fields.dropFirst() == [nil, TextField(id: "other", visit: 8, purpose: .terminal)])
        await desk.route.close()
        #expect(shell.closes == 1)
    }

    @Test(arguments: ["password", "date-of-birth", ""])
    func aPurposeThatIsNotKnownIsSecret(purpose: String) async throws {
        let bus = try await PrivateBus()
        let shell = try await ScriptedShell(
            on: bus, field: Self.entry.merging(["purpose": .string(purpose)]) { $1 })
        let desk = await Desk(bus)
        try await desk.open()
        #expect(await desk.fields.map { $0?.isSecret } == [true])
        await desk.route.close()
        await shell.end()
    }

    @Test func editsNameTheVisitOfTheFieldThatTheyAreFor() async throws {
        let bus = try await PrivateBus()
        let shell = try await ScriptedShell(on: bus, field: Self.entry)
        let desk = await Desk(bus)
        try await desk.open()
        await desk.route.perform([.show("Hel")])
        try await shell.report(Self.entry.merging(["visit": .uint64(9)]) { $1 })
        try await desk.waitForEvents(2)
        await desk.route.perform([.clear, .commit("Hello", token: 5), .delete(2)])
        try await eventually("the edits arrive") { shell.edits.count == 2 }
        #expect(
            shell.edits == [
                .init(visit: 7, edits: ["show Hel 0"]),
                .init(visit: 9, edits: ["clear  0", "commit Hello 5", "delete  2"]),
            ])
        try await shell.emit(.committed(token: 5, arrival: "arrived"))
        try await shell.emit(.committed(token: 6, arrival: "refused"))
        try await desk.waitForEvents(4)
        #expect(
            await desk.events.suffix(2) == [
                .committed(token: 5, .arrived), .committed(token: 6, .refused),
            ])
        await desk.route.close()
    }

    @Test func theRouteIsLostWithTheShell() async throws {
        let bus = try await PrivateBus()
        let shell = try await ScriptedShell(on: bus, field: Self.entry)
        let desk = await Desk(bus)
        try await desk.open()
        await shell.end()
        try await eventually("it is lost") { await desk.loss != nil }
        await desk.route.close()
    }

    @Test func theRouteIsLostToAnotherProgram() async throws {
        let bus = try await PrivateBus()
        let shell = try await ScriptedShell(on: bus, field: Self.entry)
        let desk = await Desk(bus)
        try await desk.open()
        try await shell.emit(.closed)
        try await eventually("it is lost") { await desk.loss?.problem.contains("Another program") == true }
        await desk.route.close()
        await shell.end()
    }

    @Test func anotherProgramWithTheNameOfTheFieldsIsNotTheShell() async throws {
        let bus = try await PrivateBus()
        let other = try await ScriptedShell(on: bus, field: Self.entry, isShell: false)
        let desk = await Desk(bus)
        await #expect(throws: RouteError.self) { try await desk.open() }
        await other.end()
    }

    @Test func withoutTheExtensionTheErrorSaysHowToEnableIt() async throws {
        let bus = try await PrivateBus()
        let desk = await Desk(bus)
        let error = await #expect(throws: RouteError.self) { try await desk.open() }
        #expect(error?.remedy?.contains("gnome-extensions enable") == true)
    }
}
