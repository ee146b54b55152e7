import DBus
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Synchronization

/// Pictures of the screen.
extension ShellDesk {
    /// A picture of the focused window, as PNG.
    func pictureOfTheWindow() async throws -> Data {
        try await picture("ScreenshotWindow", [.bool(true), .bool(false), .bool(false)])
    }

    func picture(_ method: MemberName, _ arguments: [Value]) async throws -> Data {
        let file = files.path(of: "picture.png")
        _ = try await connection.call(
            destination: "org.gnome.Shell.Screenshot", path: "/org/gnome/Shell/Screenshot",
            interface: "org.gnome.Shell.Screenshot", member: method, arguments + [.string(file)])
        return try Data(contentsOf: URL(filePath: file))
    }

    /// A picture of a part of the screen, without notifications, kept below .build/screenshots.
    func takeScreenshot(_ name: String, of area: (x: Int32, y: Int32, width: Int32, height: Int32))
        async throws
    {
        try await dismissNotifications()
        try keep(
            try await picture(
                "ScreenshotArea",
                [.int32(area.x), .int32(area.y), .int32(area.width), .int32(area.height), .bool(false)]),
            as: name)
    }

    func keep(_ picture: Data, as name: String) throws {
        let folder = repository.appending(path: ".build/screenshots")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try picture.write(to: folder.appending(path: "\(name).png"))
    }

    /// A picture of the screen, kept below .build/screenshots. Waits until the focused window is drawn: until it looks
    /// different from `before`, and no longer changes.
    /// - Returns: a picture of the focused window.
    @discardableResult
    func takeScreenshot(_ name: String, unlike before: Data) async throws -> Data {
        var last = before
        try await eventually("the window is drawn: \(name)") {
            let now = try await pictureOfTheWindow()
            defer { last = now }
            return now != before && now == last
        }
        try await takeScreenshot(name)
        return last
    }

    /// A picture of the screen, without notifications, kept below .build/screenshots.
    func takeScreenshot(_ name: String) async throws {
        try await dismissNotifications()
        try await eventually("no notification is shown") {
            try await evaluate("Main.messageTray._notification === null") == "true"
        }
        try await keepScreenshot(name)
    }

    /// A picture of the screen as it is, kept below .build/screenshots.
    func keepScreenshot(_ name: String) async throws {
        try keep(try await picture("Screenshot", [.bool(false), .bool(false)]), as: name)
    }
}
