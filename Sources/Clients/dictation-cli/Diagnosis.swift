import DictationClient
import Glibc
import Localization

/// The checks of `doctor`: from the bus up to permission, the settings, and typing. A check that depends on something
/// missing is skipped.
struct Diagnosis {
    let busOptions: BusOptions

    func findings() async -> [Finding] {
        var findings = [soundServer()]
        do throws(DictationError) {
            let client = try await busOptions.connect()
            findings.append(.good("\(place(client.place))"))
            findings += await service(client)
            await client.close()
        } catch {
            findings.append(
                .missing(
                    "\(error)",
                    "Run this in a desktop session, under dbus-run-session, or with --address."))
        }
        return findings + SettingsCheck().findings() + (await TypingDiagnosis().findings())
            + (await LayoutDiagnosis().findings())
    }

    private func place(_ place: ServicePlace) -> String {
        switch place.bus {
        case .system: return translated("The service for the whole machine is used.")
        case .address(let address): return translated("The service at \(address) is used.")
        case .session, .automatic: break
        }
        return switch place.reason {
        case .chosen, .installed: translated("The service of this session is used.")
        case .notInstalled:
            translated("The service of this session is used; none is installed for the whole machine.")
        case .noSystemBus(let why):
            translated(
                "The service of this session is used; one for the whole machine cannot be reached (\(why)).")
        }
    }

    private func service(_ client: DictationClient) async -> [Finding] {
        do throws(DictationError) {
            let information = try await client.information()
            var findings = [
                Finding.good("The dictation service runs; its interface has version \(information.version).")
            ]
            findings += engines(information)
            findings.append(microphones(try await client.routes()))
            findings.append(permission(try await client.checkPermission()))
            return findings
        } catch {
            let scope = client.place.bus == .system ? "" : "--user "
            let what: UserText = "The dictation service does not answer: \(error.sentence)"
            return error.code == .serviceUnavailable
                ? [
                    .missing(
                        what, "Install the service, or run “dictationd --bus session” beside this program.")
                ]
                : [.missing(what, "Read the service's log: journalctl \(scope)--identifier dictationd")]
        }
    }

    private func engines(_ information: ServiceInformation) -> [Finding] {
        guard !information.engines.isEmpty else {
            return [.missing("The service has no speech engine.", "Install a complete dictation service.")]
        }
        return information.engines.map { engine in
            if !engine.isLocal {
                return .missing(
                    "The engine \(engine.name) is on another machine: your speech is sent there.",
                    "If you do not want that, remove it from “engines” in the settings.")
            }
            let problem = information.engineProblem
            let unusable = translated("The engine \(engine.name) cannot be used.")
            return engine.isAvailable
                ? .good("The engine \(engine.name) knows \(engine.languages.joined(separator: ", ")).")
                : .missing(
                    "\(engine.isPreferred ? problem ?? unusable : unusable)",
                    "\(engine.message ?? translated("Install it and its model."))")
        }
    }

    private func microphones(_ routes: [Route]) -> Finding {
        let present = routes.filter(\.isAvailable)
        guard
            let route = present.first(where: \.isInUse) ?? present.first(where: \.isSelected)
                ?? present.first(where: \.isDefault) ?? present.first
        else {
            return .missing("There is no microphone.", "Plug one in, or turn it on in the sound settings.")
        }
        if route.isMuted {
            return .missing(
                "The microphone \(route.title) is muted.", "Unmute it: wpctl set-mute @DEFAULT_SOURCE@ 0")
        }
        if route.hasNoVolume {
            return .missing(
                "The volume of the microphone \(route.title) is 0.",
                "Raise it: wpctl set-volume @DEFAULT_SOURCE@ 80%")
        }
        return .good("The microphone is \(route.title).")
    }

    private func permission(_ permission: Permission) -> Finding {
        if permission.isReady { return .good("This program may use the microphone and speech recognition.") }
        let statuses = [permission.microphone, permission.speech]
        if statuses.contains(.restricted) {
            return .missing(
                "The administrator does not allow dictation.", "Ask the administrator of this computer.")
        }
        if statuses.contains(.denied) {
            return .missing(
                "Dictation was denied to this program.", "Allow it in the settings of the desktop.")
        }
        return .missing(
            "The user has not been asked for permission yet.", "Run “dictation-cli listen” and answer.")
    }

    /// Whether the user's PipeWire accepts connections.
    private func soundServer() -> Finding {
        let remote = variable("PIPEWIRE_REMOTE") ?? "pipewire-0"
        guard let folder = variable("PIPEWIRE_RUNTIME_DIR") ?? variable("XDG_RUNTIME_DIR") else {
            return .missing(
                "XDG_RUNTIME_DIR is not set, so PipeWire cannot be found.", "Log in to a session.")
        }
        let path = remote.hasPrefix("/") ? remote : "\(folder)/\(remote)"
        return connects(to: path)
            ? .good("PipeWire answers at \(path).")
            : .missing(
                "PipeWire does not answer at \(path).",
                "Start it: systemctl --user start pipewire wireplumber")
    }

    private func connects(to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard number >= 0 else { return false }
        defer { close(number) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    private func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
