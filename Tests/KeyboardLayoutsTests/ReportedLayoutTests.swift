import DictationTestKit
import EventLoop
import Foundation
import Testing

@testable import KeyboardLayouts

/// What desktops answer, and what else may be at the end of their sockets.
@Suite(.serialized) struct ReportedLayoutTests {
    @Test func ofSeveralKeyboardsTheSwitchedOneCounts() throws {
        let reply = """
            [{"type": "pointer"}, {"type": "keyboard", "xkb_active_layout_name": null, "xkb_active_layout_index": 0},
            {"type": "keyboard", "xkb_active_layout_name": "English (US)", "xkb_active_layout_index": 0},
            {"type": "keyboard", "xkb_active_layout_name": "German", "xkb_active_layout_index": 1}]
            """
        #expect(try SwayLayout.layout(in: Array(reply.utf8)) == .described("German"))
        #expect(throws: LayoutError.notReported) { try SwayLayout.layout(in: Array("[]".utf8)) }
        #expect(throws: LayoutError.self) { try SwayLayout.layout(in: Array("{\"type\": 1}".utf8)) }
    }

    @Test func hyprlandsMainKeyboardCounts() throws {
        let reply = """
            {"mice": [], "keyboards": [{"name": "power-button", "active_keymap": "English (US)", "main": false},
            {"name": "keyboard", "layout": "us,de", "active_keymap": "German", "main": true}], "tablets": []}
            """
        #expect(try HyprlandLayout.layout(in: Array(reply.utf8)) == .described("German"))
        #expect(throws: LayoutError.notReported) {
            try HyprlandLayout.layout(in: Array("{\"keyboards\": []}".utf8))
        }
        #expect(throws: LayoutError.self) { try HyprlandLayout.layout(in: Array("unknown request".utf8)) }
    }

    @Test func theGroupChoosesAmongTheNamesOfX11() throws {
        let names = Array("evdev\0pc105\0us,de,fr\0,nodeadkeys\0grp:alt_shift_toggle\0".utf8)
        #expect(try X11Layout.layout(1, of: names) == .named("de", variant: "nodeadkeys"))
        #expect(try X11Layout.layout(2, of: names) == .named("fr", variant: ""))
        for (group, names) in [(3, names), (0, []), (0, Array("evdev\0pc105".utf8))] {
            #expect(throws: LayoutError.notReported) { try X11Layout.layout(group, of: names) }
        }
        #expect(
            [":0", ":12.1", "unix:3", "host:0", ":", ":0x", "0", ":123456"].map(X11Layout.number) == [
                "0", "12", "3", nil, nil, nil, nil, nil,
            ])
    }

    @Test func theCookieOfTheDisplayIsFound() {
        let entry = Self.entry
        let file =
            entry(256, "other", "0", "MIT-MAGIC-COOKIE-1", "old") + entry(256, "here", "0", "XDM-1", "wrong")
            + entry(256, "here", "1", "MIT-MAGIC-COOKIE-1", "one")
            + entry(65535, "", "", "MIT-MAGIC-COOKIE-1", "any")
        func cookie(_ bytes: [UInt8], _ display: String) -> String? {
            XAuthority.cookie(of: bytes, display: Array(display.utf8), host: Array("here".utf8))
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(cookie(file, "1") == "one")
        #expect(cookie(file, "0") == "any")
        // This machine has got another name.
        #expect(cookie(entry(256, "other", "0", "MIT-MAGIC-COOKIE-1", "old"), "0") == "old")
        for count in 0..<file.count { _ = cookie(Array(file.prefix(count)), "2") }
    }

    @Test func x11ReportsTheLayoutInUse() async throws {
        let screen = try await X11Screen()
        try await screen.run("setxkbmap", "-layout", "us,de", "-variant", ",nodeadkeys")
        let layout = PresentLayout(environment: screen.environment)
        #expect(try await layout.read().name == "English (US)")
        try await screen.run("/usr/bin/python3", "-c", Self.secondGroup)
        #expect(try await layout.read().name == "German (no dead keys)")
        #expect(try await layout.read().language(among: ["en", "de-DE"]) == "de-DE")
    }

    @Test func theX11ServerKnowsItsUserByTheCookie() async throws {
        let files = try TemporaryDirectory()
        for (name, cookie) in [("right", "0123456789abcdef"), ("wrong", "fedcba9876543210")] {
            let entry = Self.entry(65535, "", "", "MIT-MAGIC-COOKIE-1", cookie)
            try Data(entry).write(to: URL(filePath: files.path(of: name)))
        }
        let screen = try await X11Screen("-auth", files.path(of: "right"))
        func layout(_ file: String) -> PresentLayout {
            PresentLayout(
                environment: screen.environment.merging(["XAUTHORITY": files.path(of: file)]) { $1 })
        }
        #expect(try await layout("right").read().name == "English (US)")
        for file in ["wrong", "none"] {
            await #expect(throws: LayoutError.failed("the X server refuses the connection")) {
                try await layout(file).read()
            }
        }
    }

    @Test func otherDesktopsDoNotReportIt() async throws {
        let bus = try await PrivateBus()
        for environment in [[:], ["WAYLAND_DISPLAY": "wayland-9", "DISPLAY": ":0"]] {
            let layout = PresentLayout(environment: environment.merging(bus.environment) { $1 })
            await #expect(throws: LayoutError.notReported) { try await layout.read() }
        }
    }

    /// Nothing waits for more than some seconds, and no answer is longer than its limit.
    @Test(arguments: [
        "silent", "closed", "noise", "endless",
    ]) func whatAnswersLikeNoDesktopIsAnError(kind: String) async throws {
        let files = try TemporaryDirectory()
        let program = try ChildProcess([
            "/usr/bin/python3", "-c", Self.server, kind, files.path(of: "sway"),
            files.path(of: "hypr/one/.socket.sock"),
        ])
        _ = try await program.line(of: .output)
        for environment in [
            ["SWAYSOCK": files.path(of: "sway")],
            ["XDG_RUNTIME_DIR": files.path, "HYPRLAND_INSTANCE_SIGNATURE": "one"],
        ] {
            let layout = PresentLayout(
                environment: environment.merging(["WAYLAND_DISPLAY": "wayland-1"]) { $1 })
            let begin = ContinuousClock.now
            await #expect(throws: LayoutError.self) { try await layout.read() }
            #expect(ContinuousClock.now - begin < .seconds(20))
            // The thread ends too.
            try await eventually("the next question is asked") {
                do throws(LayoutError) {
                    _ = try await layout.read()
                    return false
                } catch {
                    return error != .failed("an earlier question has no answer yet")
                }
            }
        }
        program.kill()
    }

    /// Locks the second layout of the core keyboard, as a key for that does.
    private static let secondGroup = """
        import ctypes
        x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        display = ctypes.c_void_p(x11.XOpenDisplay(None))
        assert x11.XkbLockGroup(display, 0x100, 1)
        x11.XSync(display, 0)
        """

    private static let server = """
        import os, socket, sys, threading
        kind, paths = sys.argv[1], sys.argv[2:]
        def answer(peer):
            peer.recv(1)
            try:
                if kind == "noise": peer.sendall(os.urandom(4096))
                while kind == "endless": peer.sendall(b"i3-ipc" + b"\\0" * 4096)
                if kind == "silent": threading.Event().wait()
            except OSError: pass
            peer.close()
        for path in paths:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            server = socket.socket(socket.AF_UNIX)
            server.bind(path)
            server.listen()
            def serve(server=server):
                while True: threading.Thread(target=answer, args=server.accept()[:1], daemon=True).start()
            threading.Thread(target=serve, daemon=True).start()
        print("ready", flush=True)
        threading.Event().wait()
        """

    private static func field(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + Array(text.utf8) }

    private static func entry(
        _ family: UInt16, _ host: String, _ display: String, _ method: String, _ cookie: String
    ) -> [UInt8] {
        [UInt8(family >> 8), UInt8(family & 255)] + field(host) + field(display) + field(method)
            + field(cookie)
    }
}

/// A virtual X11 screen.
private final class X11Screen: Sendable {
    let environment: [String: String]
    private let server: ChildProcess

    init(_ options: String...) async throws {
        server = try ChildProcess(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"]
                + options)
        let number = try await server.line(of: .output)
        environment = ["DISPLAY": ":\(number)", "PATH": "/usr/bin:/bin"]
    }

    func run(_ command: String...) async throws {
        let run = try await ChildProcess.run(command, environment: environment)
        guard run.status == .exited(0) else { throw TestFailure("\(command): \(run.errors)") }
    }
}
