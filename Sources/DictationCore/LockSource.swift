/// What can say that the screen is locked.
public enum LockSource: Hashable, Sendable {
    /// The property `LockedHint` of the session in logind.
    case lockedHint
    /// A program of the desktop session.
    case screenSaver(ScreenSaver)
    /// The signal `Lock` of the session in logind: an order, which a lock screen may or may not obey.
    case lockSignal

    /// As the interface tells it.
    public var name: String {
        switch self {
        case .lockedHint: "locked-hint"
        case .screenSaver(let screenSaver): screenSaver.rawValue
        case .lockSignal: "lock-signal"
        }
    }
}

/// The screen savers that tell on the session's bus whether they cover the screen, by their bus names.
public enum ScreenSaver: String, Hashable, Sendable, CaseIterable {
    case gnome = "org.gnome.ScreenSaver"
    case freedesktop = "org.freedesktop.ScreenSaver"
    case kde = "org.kde.screensaver"
    case cinnamon = "org.cinnamon.ScreenSaver"
    case mate = "org.mate.ScreenSaver"
    case xfce = "org.xfce.ScreenSaver"
}
