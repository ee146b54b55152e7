import Clipboard
import EventLoop
import Foundation
import IBus
import TypingRoutes
import WaylandInput

/// The routes into the focused window of this desktop session.
struct RouteChoice {
    let environment: [String: String]
    /// Allow keys where no input method works.
    var usesKeyboard = false
    /// Allow pasting where nothing else works.
    var usesClipboard = false

    static var current: RouteChoice { RouteChoice(environment: ProcessInfo.processInfo.environment) }

    /// The best first.
    @EventLoopActor func routes() -> [any TypingRoute] {
        let environment = environment
        let ibus = IBusRoute(
            environment: environment, restorer: ["/proc/self/exe", "restore-input-method"]
        ) {
            await SilentKey.press(environment: environment)
        }
        var routes: [any TypingRoute] = [ibus]
        if isWayland {
            let means: WaylandRoute.Means = usesKeyboard ? .inputMethodAndKeys : .inputMethod
            routes.insert(WaylandRoute(environment: environment, means: means), at: 0)
        }
        if isWayland, usesKeyboard {
            routes.append(WaylandRoute(environment: environment, means: .keyboard))
        }
        if isWayland, usesClipboard {
            let keeper = ["/proc/self/exe", "keep-clipboard"]
            routes.append(WaylandRoute(environment: environment, means: .clipboard(keeper: keeper)))
        }
        if usesClipboard { routes.append(ClipboardRoute(environment: environment)) }
        return routes
    }

    var isGraphical: Bool { has("WAYLAND_DISPLAY") || has("DISPLAY") || has("IBUS_ADDRESS") }

    private var desktops: [Substring] {
        (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":")
    }

    private var isWayland: Bool { has("WAYLAND_DISPLAY") }

    private func has(_ name: String) -> Bool { environment[name]?.isEmpty == false }

    /// What types into windows that report no text fields; nil if nothing does or it is allowed.
    var keysRemedy: String? {
        guard isWayland, !usesKeyboard, !desktops.contains("GNOME"), !desktops.contains("KDE") else {
            return nil
        }
        return translated(
            "X11 windows and some others report none: --keyboard types keys there, also into password fields."
        )
    }

    /// What to do if no field gets the text.
    var fieldRemedy: String {
        if desktops.contains("GNOME") {
            return translated(
                "On GNOME use the Dictation extension instead: enable it and press Super+D.")
        }
        if desktops.contains("KDE"), isWayland {
            return translated(
                "Choose “IBus Wayland” in System Settings, Keyboard, Virtual Keyboard.")
        }
        if let keysRemedy { return translated("Focus a text field. \(keysRemedy)") }
        return
            translated(
                """
                Focus a text field. In a Qt window press Shift in the field: Qt does not report which fields are for \
                passwords. A program takes text from IBus if it was started with GTK_IM_MODULE=ibus, \
                QT_IM_MODULE=ibus and XMODIFIERS=@im=ibus.
                """)
    }

    /// The findings of `doctor` about typing. None outside a graphical session.
    func findings() async -> [Finding] {
        guard isGraphical else { return [] }
        var findings: [Finding] = []
        if desktops.contains("GNOME") { findings.append(extensionFinding()) }
        if isWayland, (try? await WaylandRoute.check(environment: environment)) != nil {
            findings.append(.good("“dictation-cli type” can type by the compositor's input method."))
            return findings
        }
        do throws(RouteError) {
            try await IBusRoute.check(environment: environment)
            findings.append(.good("IBus runs: “dictation-cli type” can type into windows that use it."))
            if !(await SilentKey.isAvailable(environment: environment)) { findings.append(Self.qtFinding) }
        } catch {
            findings.append(
                .missing(
                    "“dictation-cli type” cannot type: \(error.problem)", "\(error.remedy ?? fieldRemedy)"))
        }
        return findings
    }

    private static let qtFinding = Finding.missing(
        """
        Qt windows do not report which fields are for passwords. In a Qt window press Shift in the field before you \
        dictate.
        """,
        "Under X11 you need not do that if the package xdotool is installed.")

    private func extensionFinding() -> Finding {
        let name = "gnome-shell/extensions/dictation@dictation.example.org"
        let home = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { "\($0)/.local/share" }
        let folders = (home.map { [$0] } ?? []) + ["/usr/local/share", "/usr/share"]
        let isInstalled = folders.contains {
            FileManager.default.fileExists(atPath: "\($0)/\(name)/metadata.json")
        }
        return isInstalled
            ? .good(
                "The GNOME extension is installed: enable it, and Super+D dictates into the focused window.")
            : .missing(
                "The GNOME extension is not installed.",
                "Install it from packaging/gnome-shell, or with the Debian package.")
    }
}
