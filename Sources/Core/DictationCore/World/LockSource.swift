/// A source of information about the lock screen.
public enum LockSource: Hashable, Sendable {
    /// The property `LockedHint` of the session in logind.
    case lockedHint
    /// A program of the desktop session.
    case screenSaver(ScreenSaver)
    /// The signal `Lock` of the session in logind: a request, which a lock screen may ignore.
    case lockSignal

    /// The name on the bus.
    public var name: String {
        switch self {
        case .lockedHint: "locked-hint"
        case .screenSaver(let screenSaver): screenSaver.rawValue
        case .lockSignal: "lock-signal"
        }
    }
}

/// Screen savers that report on the session bus whether they are active, by their bus names.
public enum ScreenSaver: String, Hashable, Sendable, CaseIterable {
    case gnome = "org.gnome.ScreenSaver"
    case freedesktop = "org.freedesktop.ScreenSaver"
    case kde = "org.kde.screensaver"
    case cinnamon = "org.cinnamon.ScreenSaver"
    case mate = "org.mate.ScreenSaver"
    case xfce = "org.xfce.ScreenSaver"
}
