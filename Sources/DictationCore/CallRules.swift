/// What makes a capture stream of somebody else a call, before which dictation yields.
///
/// Roles are PipeWire's `media.role`; pipewire-pulse maps PulseAudio's `phone` to `Communication`. Many browsers
/// and conference programs set no role and are known by `application.name` or by their binary; the names are
/// those that WirePlumber's own Bluetooth policy lists (`policy-bluetooth.lua`), and more of the kind.
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

    /// Whether a call is going on: some capture stream that runs is one, or a headset has left its music profile
    /// for somebody else's sake.
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
