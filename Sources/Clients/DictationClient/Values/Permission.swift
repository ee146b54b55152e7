import DBus

/// This program's permissions.
public struct Permission: Hashable, Sendable {
    public var microphone: PermissionStatus
    public var speech: PermissionStatus
    /// Whether both are granted.
    public var isReady: Bool

    init(_ status: [BusText: String], isReady: Bool) {
        microphone =
            status[BusText(Resource.microphone.rawValue)].map(PermissionStatus.init) ?? .notDetermined
        speech = status[BusText(Resource.speech.rawValue)].map(PermissionStatus.init) ?? .notDetermined
        self.isReady = isReady
    }

    public subscript(resource: Resource) -> PermissionStatus? {
        switch resource {
        case .microphone: microphone
        case .speech: speech
        default: nil
        }
    }
}
