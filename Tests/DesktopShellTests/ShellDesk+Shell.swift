import DBus
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Synchronization

/// What the shell shows and does.
extension ShellDesk {
    /// The value of an expression in the shell, as JSON.
    func evaluate(_ code: String) async throws -> String { try await Self.evaluate(code, in: connection) }

    static func evaluate(_ code: String, in connection: Connection) async throws -> String {
        let reply = try await connection.call(
            destination: "org.gnome.Shell", path: "/org/gnome/Shell", interface: "org.gnome.Shell",
            member: "Eval", [.string(code)])
        let (isGood, result) = try reply.decoded(as: Bool.self, String.self)
        guard isGood else { throw TestFailure("\(code): \(result)") }
        return result
    }

    func run(_ code: String) async throws {
        _ = try await evaluate("\(code); null")
    }

    /// Presses keys together and releases them.
    func press(_ keys: String...) async throws {
        let downs = keys.map { "global.press('\($0)', true)" }
        let ups = keys.reversed().map { "global.press('\($0)', false)" }
        try await run((downs + ups).joined(separator: ";"))
    }

    /// What has the focus, for the report of a failure.
    func focusState() async -> String {
        let parts =
            "Main.overview.visible, Main.modalCount, global.stage.key_focus, global.display.focus_window?.title"
        do {
            return try await evaluate("[\(parts)].map(String).join(' | ')")
        } catch {
            return "\(error)"
        }
    }

    /// What keeps windows from getting keys: the overview or a modal dialog. Nil if nothing does.
    func obstacle() async throws -> String? {
        let isFree = try await evaluate("!Main.overview.visible && Main.modalCount === 0") == "true"
        return isFree ? nil : await focusState()
    }

    /// Closes the windows, dialogs and the overview that a failed test has left.
    func clear() async throws {
        try await run(
            "Main.overview.hide(); global.get_window_actors().forEach(each => each.meta_window.kill())")
        try await eventually("windows can get keys") {
            if try await obstacle() == nil { return true }
            try await press("Escape")
            return false
        }
    }

    /// Waits until the shell has done deferred work, such as grabbing keys.
    func settle() async throws {
        try await run(
            "global.isIdle = false; imports.gi.GLib.idle_add(400, () => { global.isIdle = true; return false; })"
        )
        try await eventually("the shell is idle", equals: "true") { try await evaluate("global.isIdle") }
    }

    /// A property of the extension's dictation, as JSON.
    func dictation(_ property: String) async throws -> String {
        try await evaluate("JSON.parse(JSON.stringify(global.extension()._dictation.\(property) ?? null))")
    }

    func set(_ key: String, _ value: String) async throws {
        try await run("global.extension()._settings.\(key)(\(value))")
    }

    /// How often a session has found its window.
    private var foundWindows: Int { daemon.lines(of: .errors).count { $0.contains("a session types") } }

    /// Dictates until the key is pressed again. Returns when words are typed while they are spoken.
    func startDictating() async throws {
        let before = foundWindows
        try await finishIdleWork()
        try await press("Super_L", "d")
        try await eventually("it listens", equals: "\"listening\"") { try await dictation("state") }
        try await eventually("the window is found") { foundWindows > before }
    }

    func stopDictating() async throws {
        try await finishIdleWork()
        try await press("Super_L", "d")
        try await eventually("it no longer listens", equals: "\"idle\"") { try await dictation("state") }
    }

    /// Waits until the shell has updated its key bindings, which it does when it is idle. A key whose binding was removed
    /// before makes GNOME Shell 43 crash if it is pressed earlier.
    func finishIdleWork() async throws {
        try await run(
            "global.isIdle = false; imports.gi.GLib.idle_add(300, () => { global.isIdle = true; return false; })"
        )
        try await eventually("the shell is idle", equals: "true") { try await evaluate("global.isIdle") }
    }

    /// Plays words that the scripted engine recognises.
    func say(_ frequencies: Int...) async throws {
        let samples = frequencies.flatMap { Speech.tone($0, seconds: 0.25) + Speech.silence(0.25) }
        try await say(samples)
    }

    func say(_ samples: [Int16]) async throws {
        let end = microphone.played + samples.count
        microphone.play(samples)
        try await eventually("all has been said") { microphone.played >= end }
    }

    /// The texts of the shell's notifications, as JSON.
    func notifications() async throws -> String {
        try await evaluate(
            "\(Self.notifications).map(each => `${each.title} ${each.bannerBodyText ?? each.body}`)")
    }

    /// Clicks a button of the notification with this text.
    func click(_ button: String, on text: String) async throws {
        try await eventually("there is a notification: \(text)") {
            try await notifications().contains(text)
        }
        let found =
            "\(Self.notifications).find(each => (each.bannerBodyText ?? each.body).includes('\(text)'))"
        let action = "each.actions.find(({label}) => label === '\(button)')"
        // GNOME Shell 46 and later have a method for it.
        let activate = "(action => action.activate ? action.activate() : action.callback())(\(action))"
        try await run("(each => { \(activate); each.destroy(); })(\(found))")
    }

    func dismissNotifications() async throws {
        try await run("\(Self.notifications).forEach(each => each.destroy())")
    }

    static let notifications = "Main.messageTray.getSources().flatMap(each => each.notifications)"
}
