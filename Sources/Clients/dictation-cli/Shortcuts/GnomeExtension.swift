import DBus
import EventLoop
import Foundation
import Localization

/// The extension of GNOME Shell that dictates into the focused window by the key Super+D.
struct GnomeExtension {
    enum State: Equatable {
        /// It is not installed.
        case missing
        /// It was installed after the shell was started, which looks for extensions only then.
        /// - isChosen: the next login turns it on.
        case unseen(isChosen: Bool)
        case off
        case on
        /// The shell could not load it, for this reason.
        case broken(String)
        /// No shell answers.
        case unknown

        /// For programs.
        var name: String {
            switch self {
            case .missing: "missing"
            case .unseen(let isChosen): isChosen ? "after-login" : "off"
            case .off: "off"
            case .on: "on"
            case .broken: "broken"
            case .unknown: "unknown"
            }
        }
    }

    static let uuid = "dictation@dictation.example.org"
    static var afterLogin: String {
        translated(
            "Log out and in again, then press Super+D in a text field, speak, and press it once more.")
    }
    private static let timeout = Duration.seconds(5)
    private let environment: [String: String]

    /// Nil on other desktops.
    init?(environment: [String: String]) {
        guard (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":").contains("GNOME") else {
            return nil
        }
        self.environment = environment
    }

    func state() async -> State {
        guard isInstalled else { return .missing }
        guard let reply = try? await call("GetExtensionInfo"),
            let information = try? reply.decoded(as: [BusText: Value].self)
        else { return .unknown }
        guard !information.isEmpty else { return .unseen(isChosen: chosen.contains(Self.quoted)) }
        // The numbers of the shell's ExtensionState.
        switch information["state"].flatMap({ Double($0) }) {
        case 1, 8: return .on
        case 3:
            return .broken(information["error"].flatMap { BusText($0) }?.string ?? "")
        case 4: return .broken(translated("it is for another version of GNOME"))
        default: return .off
        }
    }

    /// Turns it on, now or, if the shell has not seen it, at the next login.
    func turnOn() async throws -> State {
        guard isInstalled else { return .missing }
        if try await call("EnableExtension").decoded(as: Bool.self) { return await state() }
        let chosen = chosen
        if !chosen.contains(Self.quoted) {
            let others = chosen.hasSuffix("']") ? "\(chosen.dropLast()), " : "["
            let setting = [
                "gsettings", "set", "org.gnome.shell", "enabled-extensions", "\(others)\(Self.quoted)]",
            ]
            guard try ProgramOutput(setting).isGood else {
                throw EngineSetupError("This failed: \(setting.joined(separator: " "))")
            }
        }
        return await state()
    }

    private static let quoted = "'\(uuid)'"

    /// The extensions that a login turns on, as `gsettings` writes them.
    private var chosen: String {
        (try? ProgramOutput(["gsettings", "get", "org.gnome.shell", "enabled-extensions"]))?.text
            .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    }

    private var isInstalled: Bool {
        let home = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { "\($0)/.local/share" }
        let folders = (home.map { [$0] } ?? []) + ["/usr/local/share", "/usr/share"]
        return folders.contains {
            FileManager.default.fileExists(
                atPath: "\($0)/gnome-shell/extensions/\(Self.uuid)/metadata.json")
        }
    }

    private func call(_ method: MemberName) async throws -> [Value] {
        let session = try await Connection(to: .session)
        do {
            let reply = try await session.call(
                destination: "org.gnome.Shell", path: "/org/gnome/Shell",
                interface: "org.gnome.Shell.Extensions", member: method, [.string(BusText(Self.uuid))],
                timeout: Self.timeout, flags: [.noAutoStart])
            await session.close()
            return reply
        } catch {
            await session.close()
            throw error
        }
    }
}
