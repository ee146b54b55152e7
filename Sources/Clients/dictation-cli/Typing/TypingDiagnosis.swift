import Clipboard
import Foundation
import IBus
import Localization
import TypingRoutes
import WaylandInput

/// What `doctor` says about typing into windows of this desktop session.
struct TypingDiagnosis {
    private let environment = ProcessInfo.processInfo.environment

    private func has(_ name: String) -> Bool { environment[name]?.isEmpty == false }

    /// None outside a graphical session.
    func findings() async -> [Finding] {
        guard has("WAYLAND_DISPLAY") || has("DISPLAY") || has("IBUS_ADDRESS") else { return [] }
        var findings: [Finding] = []
        if let shell = GnomeExtension(environment: environment) {
            let state = await shell.state()
            findings.append(Self.finding(state))
            // It types whatever else is missing.
            if state == .on { return findings }
        }
        if has("WAYLAND_DISPLAY"), (try? await WaylandRoute.check(environment: environment)) != nil {
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
                    "“dictation-cli type” cannot type: \(Catalogue.translation(ofMessage: error.problem))",
                    "\(error.remedy ?? translated("On GNOME use the Dictation extension instead: enable it and press Super+D."))"
                ))
        }
        return findings
    }

    private static let qtFinding = Finding.missing(
        """
        Qt windows do not report which fields are for passwords. In a Qt window press Shift in the field before you \
        dictate.
        """,
        "Under X11 you need not do that if the package xdotool is installed.")

    private static func finding(_ state: GnomeExtension.State) -> Finding {
        switch state {
        case .on: .good("GNOME's Dictation extension is on: Super+D dictates into the focused window.")
        case .missing:
            .missing(
                "The GNOME extension is not installed.",
                "Install it from packaging/gnome-shell, or with the Debian package.")
        case .unseen(isChosen: true):
            .missing("GNOME looks for new extensions only at login.", "\(GnomeExtension.afterLogin)")
        case .unseen(isChosen: false), .off:
            .missing(
                "GNOME's Dictation extension, which has the key Super+D, is off.",
                "Turn it on: dictation-cli shortcut --bind")
        case .broken(let reason):
            .missing(
                "GNOME could not load the Dictation extension: \(reason).",
                "Log out and in again. If that does not help, install the package for this version of GNOME.")
        case .unknown:
            .good(
                "The GNOME extension is installed: enable it, and Super+D dictates into the focused window.")
        }
    }
}
