/// Decides which capture streams of other programs are calls. A call interrupts dictation.
///
/// Roles are PipeWire's `media.role`; pipewire-pulse maps PulseAudio's `phone` to `Communication`. Many browsers and
/// conference programs set no role and are identified by `application.name` or their binary. The names are those of
/// WirePlumber's Bluetooth policy (`policy-bluetooth.lua`) and similar ones.
public struct CallRules: Hashable, Sendable {
    public var roles: Set<String>
    public var applications: Set<String>
    public var ignoredApplications: Set<String>

    public static let defaultRoles: Set<String> = ["communication", "phone"]
    public static let defaultApplications: Set<String> = [
        "firefox", "chromium", "chromium input", "google chrome input", "brave input", "microsoft edge input",
        "vivaldi input", "discord", "signal", "skype", "slack", "teams", "telegram desktop",
        "webrtc voiceengine",
        "zoom voiceengine", "zoom",
    ]

    public init(
        roles: Set<String> = defaultRoles, applications: Set<String> = defaultApplications,
        ignoredApplications: Set<String> = []
    ) {
        self.roles = roles.lowercased
        self.applications = applications.lowercased
        self.ignoredApplications = ignoredApplications.lowercased
    }

    /// Whether some capture stream is a call, by its role, its application or a Bluetooth headset profile of its source.
    public func callInProgress(in audio: AudioFacts) -> Bool {
        audio.otherCaptures.contains { isCall($0, among: audio.sources) }
    }

    func isCall(_ capture: OtherCapture, among sources: [NodeName: Source]) -> Bool {
        guard capture.isRunning, !capture.capturesMonitor else { return false }
        let names = [capture.application.lowercased(), capture.binary.lowercased()].filter { !$0.isEmpty }
        if names.contains(where: ignoredApplications.contains) { return false }
        if roles.contains(capture.role.lowercased()) { return true }
        if names.contains(where: applications.contains) { return true }
        guard let source = capture.source.flatMap({ sources[$0] }) else { return false }
        return source.bluetoothProfile?.contains("headset") ?? false
    }
}

extension Set<String> {
    fileprivate var lowercased: Set<String> { Set(map { $0.lowercased() }) }
}
