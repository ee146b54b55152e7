import DBus
import Desktop
import DictationTestKit
import EventLoop
import Foundation
import Testing
import Typing
import TypingRoutes

@Suite struct RemoteDesktopRouteTests {
    /// A route, and what it reports.
    @EventLoopActor private final class Desk {
        let route: RemoteDesktopRoute
        private(set) var events: [RouteEvent] = []

        init(_ bus: PrivateBus, tokenFile: String? = nil) {
            route = RemoteDesktopRoute(
                environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address],
                applicationID: "org.example.Dictation", tokenFile: tokenFile)
        }

        func open() async throws { try await route.open { [weak self] in self?.events.append($0) } }

        func type(_ text: String, token: UInt64) async throws -> Arrival? {
            route.perform([.clear, .commit(text, token: token)])
            try await eventually("there is a result") { self.arrival(of: token) != nil }
            return arrival(of: token)
        }

        private func arrival(of token: UInt64) -> Arrival? {
            for case .committed(token, let arrival) in events { return arrival }
            return nil
        }

        var field: TextField? {
            for case .field(let field) in events { return field }
            return nil
        }

        var isLost: Bool { if case .lost? = events.last { true } else { false } }
    }

    private static let text = "text/plain;charset=utf-8"

    @Test func textIsPastedAndTheClipboardIsRestored() async throws {
        let bus = try await PrivateBus()
        let portal = try await RemoteDesktopPortal(on: bus, clipboard: [Self.text: "What was copied"])
        let desk = await Desk(bus)
        try await desk.open()
        #expect(try await desk.type("Grüße 👋🏽", token: 1) == .unknown)
        #expect(try await desk.type("second", token: 2) == .unknown)
        #expect(await portal.pasted == ["Grüße 👋🏽", "second"])
        #expect(await portal.keys.prefix(4) == ["65507 down", "118 down", "118 up", "65507 up"])
        #expect(try await portal.clipboardText() == "What was copied")
        await desk.route.close()
        try await eventually("the session is closed") { await portal.closedSessions == 1 }
        await portal.end()
    }

    @Test func nothingIsPastedOverWhatCannotBeRestored() async throws {
        for content in [["image/png": "…"], [Self.text: "hunter2", "x-kde-passwordManagerHint": "secret"]] {
            let bus = try await PrivateBus()
            let portal = try await RemoteDesktopPortal(on: bus, clipboard: content)
            let desk = await Desk(bus)
            try await desk.open()
            #expect(try await desk.type("text", token: 1) == .refused)
            #expect(await portal.keys == [])
            #expect(await portal.offered == nil)
            await desk.route.close()
            await portal.end()
        }
    }

    @Test func aWindowThatDoesNotPasteHasRefusedTheText() async throws {
        let bus = try await PrivateBus()
        let portal = try await RemoteDesktopPortal(on: bus)
        await portal.ignorePaste()
        let desk = await Desk(bus)
        try await desk.open()
        #expect(try await desk.type("text", token: 1) == .refused)
        #expect(try await portal.clipboardText() == "")
        await desk.route.close()
        await portal.end()
    }

    /// What GNOME Shell fetches for its own copy was not pasted.
    @Test func aDesktopThatKeepsTheClipboardIsNotAWindow() async throws {
        let bus = try await PrivateBus()
        let portal = try await RemoteDesktopPortal(on: bus, clipboard: [Self.text: "mine"])
        await portal.keepCopies()
        let desk = await Desk(bus)
        try await desk.open()
        #expect(try await desk.type("typed", token: 1) == .unknown)
        await portal.ignorePaste()
        #expect(try await desk.type("not typed", token: 2) == .refused)
        #expect(await portal.pasted == ["typed"])
        await desk.route.close()
        // The clipboard of programs that have ended.
        try await eventually("the desktop keeps it") { await portal.kept == "mine" }
        await portal.end()
    }

    /// As a helper does when the service was killed: by the permission that lasts, without a question.
    @Test func aClipboardIsRestoredForAProcessThatWasKilled() async throws {
        let bus = try await PrivateBus()
        let portal = try await RemoteDesktopPortal(on: bus)
        await portal.keepCopies()
        let file = bus.directory.path(of: "token")
        func restore() async throws {
            try await RemoteDesktopRoute.restoreClipboard(
                Array("mine".utf8), environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address],
                applicationID: "org.example.Dictation", tokenFile: file)
        }
        try await restore()
        #expect(await portal.tokens.isEmpty, "it asks nobody")
        let desk = await Desk(bus, tokenFile: file)
        try await desk.open()
        await desk.route.close()
        try await restore()
        // It reads all of it after the route has written it.
        try await eventually("the desktop keeps it") { await portal.kept == "mine" }
        #expect(await portal.tokens == ["", "token 1"])
        await portal.end()
    }

    /// The portal does not say whether it is the same window.
    @Test func eachDictationHasAFieldOfItsOwn() async throws {
        let bus = try await PrivateBus()
        let portal = try await RemoteDesktopPortal(on: bus)
        let (first, second) = (await Desk(bus), await Desk(bus))
        try await first.open()
        await first.route.close()
        try await second.open()
        let field = try #require(await second.field)
        #expect(!field.isSame(as: await first.field))
        await second.route.close()
        await portal.end()
    }

    @Test(arguments: [
        String(repeating: "letters ", count: 625), "👩‍👩‍👧 🇩🇪 👍🏽", "שלום مرحبا", "e\u{301} u\u{308}\u{323} क्षि",
        "one\ntwo",
    ])
    func longAndStrangeTextsArriveWhole(text: String) async throws {
        let bus = try await PrivateBus()
        let portal = try await RemoteDesktopPortal(on: bus)
        let desk = await Desk(bus)
        try await desk.open()
        #expect(try await desk.type(text, token: 1) == .unknown)
        #expect(await portal.pasted == [text])
        await desk.route.close()
        await portal.end()
    }

    /// Before a key was pressed the text is not typed, whatever fails.
    @Test func aTextIsKeptWhenTheClipboardIsNotGiven() async throws {
        let bus = try await PrivateBus()
        let portal = try await RemoteDesktopPortal(on: bus)
        await portal.keepClipboard()
        let desk = await Desk(bus)
        try await desk.open()
        #expect(try await desk.type("text", token: 1) == .refused)
        #expect(await portal.keys == [])
        await desk.route.close()
        await portal.end()
    }

    @Test func thePermissionIsAskedOnceAndKept() async throws {
        let bus = try await PrivateBus()
        let portal = try await RemoteDesktopPortal(on: bus)
        let file = bus.directory.path(of: "token")
        for _ in 0..<2 {
            let desk = await Desk(bus, tokenFile: file)
            try await desk.open()
            await desk.route.close()
        }
        #expect(await portal.tokens == ["", "token 1"])
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "token 2")
        await portal.end()
    }

    @Test func aRefusalIsAnErrorThatSaysSo() async throws {
        let bus = try await PrivateBus()
        let portal = try await RemoteDesktopPortal(on: bus)
        await portal.refuse()
        let desk = await Desk(bus)
        let error = await #expect(throws: RouteError.self) { try await desk.open() }
        #expect(error?.problem.contains("you refused it") == true)
        await portal.end()
    }

    @Test func aPortalWithoutAClipboardIsAnError() async throws {
        let bus = try await PrivateBus()
        let portal = try await RemoteDesktopPortal(on: bus, hasClipboard: false)
        let desk = await Desk(bus)
        let error = await #expect(throws: RouteError.self) { try await desk.open() }
        #expect(error?.remedy?.contains("Clipboard") == true)
        await portal.end()
    }

    @Test func theRouteIsLostWhenTheUserEndsThePermission() async throws {
        let bus = try await PrivateBus()
        let portal = try await RemoteDesktopPortal(on: bus)
        let desk = await Desk(bus)
        try await desk.open()
        try await portal.endSession()
        try await eventually("it is lost") { await desk.isLost }
        await desk.route.close()
        await portal.end()
    }
}

extension RemoteDesktopPortal {
    func ignorePaste() { pastes = false }
    func refuse() { allows = false }
    func keepClipboard() { givesClipboard = false }
    func keepCopies() { keepsCopies = true }
}
