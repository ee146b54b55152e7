import Clipboard
import Desktop
import DictationBus
import EventLoop
import IBus
import Localization
import ShellFields
import TypingRoutes
import WaylandInput

/// The routes into the focused window of a desktop session.
struct RouteChoice {
    /// Says where the display is.
    let environment: [String: String]
    /// Allow keys where no input method works.
    var usesKeyboard = false
    /// Allow pasting where nothing else works.
    var usesClipboard = false

    /// The best first.
    @EventLoopActor func routes() -> [any TypingRoute] {
        let environment = environment
        let ibus = IBusRoute(
            environment: environment, restorer: TypingHelper.restoreInputMethod.command,
            trustsEveryField: usesKeyboard
        ) {
            await SilentKey.press(environment: environment)
        }
        var routes: [any TypingRoute] = [ShellRoute(environment: environment)]
        if isWayland {
            let means: WaylandRoute.Means = usesKeyboard ? .inputMethodAndKeys : .inputMethod
            routes.append(WaylandRoute(environment: environment, means: means))
        }
        routes.append(ibus)
        if isWayland, usesKeyboard {
            routes.append(WaylandRoute(environment: environment, means: .keyboard))
        }
        if isWayland, usesClipboard {
            let keeper = TypingHelper.keepClipboard.command
            routes.append(WaylandRoute(environment: environment, means: .clipboard(keeper: keeper)))
        }
        if usesClipboard {
            routes.append(ClipboardRoute(environment: environment))
            routes.append(
                RemoteDesktopRoute(
                    environment: environment, applicationID: Self.applicationID, tokenFile: tokenFile,
                    restorer: TypingHelper.restoreClipboard.command))
        }
        return routes
    }

    /// By which the desktop's portal names the service.
    static let applicationID = "org.example.Dictation"

    /// Keeps the permission of the desktop's portal; nil without a folder for it.
    private var tokenFile: String? {
        guard let folder = try? StateFolder(environment: environment) else { return nil }
        folder.make()
        return "\(folder.path)/remote-desktop-token"
    }

    /// The programs that routes start.
    static let programs =
        [
            Confinement.AllowedProgram(
                "xclip",
                withAnyOf: [
                    "-in", "-out", "-selection", "-silent", "-target", "-verbose", "-version", "TARGETS",
                    "clipboard", "primary",
                ]),
            // Without "exec", and without text to type.
            Confinement.AllowedProgram(
                "xdotool",
                withAnyOf: [
                    "--clearmodifiers", "-version", "XF86WakeUp", "getwindowfocus", "key", "shift+Insert",
                    "version",
                ]),
        ]
        + TypingHelper.allCases.map { helper in
            Confinement.AllowedProgram(helper.command[0], beginningWith: Array(helper.command.dropFirst()))
        }

    var isGraphical: Bool { has("WAYLAND_DISPLAY") || has("DISPLAY") || has("IBUS_ADDRESS") }

    private var desktops: [Substring] {
        (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":")
    }

    private var isGNOME: Bool { desktops.contains("GNOME") }
    private var isKDE: Bool { desktops.contains("KDE") }
    private var isWayland: Bool { has("WAYLAND_DISPLAY") }

    private func has(_ name: String) -> Bool { environment[name]?.isEmpty == false }

    // MARK: For people

    /// What to do where no route works.
    static let routeRemedy: UserText = "Run “dictation-cli doctor” to see what is missing."

    /// What to do where nothing can type because no display is known.
    static let displayRemedy: UserText = """
        The service does not know a display. In the start-up of your desktop run \
        “dbus-update-activation-environment --systemd WAYLAND_DISPLAY DISPLAY XDG_CURRENT_DESKTOP”.
        """

    /// What types into windows that report no text fields; nil if nothing does or it is allowed.
    var keysRemedy: UserText? {
        guard isWayland, !usesKeyboard, !isGNOME, !isKDE else {
            return nil
        }
        return
            "X11 windows and some others report none: --keyboard types keys there, also into password fields."
    }

    private static let modules: UserText = """
        Programs of GTK take text from IBus if they were started with GTK_IM_MODULE=ibus, those of Qt with \
        QT_IM_MODULE=ibus and after a press of Shift in the field.
        """
    private static let hiddenPasswords: UserText = """
        With “IBus Wayland” as virtual keyboard no field says whether it is for passwords: --keyboard types \
        nevertheless.
        """

    /// What to do if no field gets the text.
    var fieldRemedy: UserText {
        if isGNOME {
            return "On GNOME use the Dictation extension instead: enable it and press Super+D."
        }
        if isKDE, isWayland {
            return usesKeyboard ? Self.modules : "\(Self.modules) \(Self.hiddenPasswords)"
        }
        if let keysRemedy { return "\("Focus a text field." as UserText) \(keysRemedy)" }
        return """
            Focus a text field. In a Qt window press Shift in the field: Qt does not report which fields are for \
            passwords. A program takes text from IBus if it was started with GTK_IM_MODULE=ibus, \
            QT_IM_MODULE=ibus and XMODIFIERS=@im=ibus.
            """
    }
}
