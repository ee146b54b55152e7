import DictationCore

/// The clients of a simulated user. One is only subscribed to everything, during the whole simulation.
enum Clients {
    static let identities = [
        Identity(uid: 1000, kind: .app, id: "org.example.Editor"),
        Identity(uid: 1000, kind: .executable, id: "/usr/bin/busctl"),
        Identity(uid: 1000, kind: .flatpak, id: "org.example.Mail"),
        Identity(uid: 1000, kind: .unknown, id: ""),
    ]
    static let count = identities.count
    static let watcher = Client(
        name: ClientName(":1.0"), identity: Identity(uid: 1000, kind: .app, id: "org.example.Indicator"))
}

enum Sources {
    static let count = 3

    static func name(_ index: Int) -> NodeName {
        [NodeName("alsa_input.pci"), NodeName("alsa_input.usb"), NodeName("bluez_input.headset")][index]
    }

    static func source(_ index: Int) -> Source {
        Source(name: name(index), bus: ["pci", "usb", "bluetooth"][index], priority: 100 * index)
    }
}

enum Players {
    static let count = 2

    static func name(_ index: Int) -> PlayerName {
        [PlayerName("org.mpris.MediaPlayer2.music"), PlayerName("org.mpris.MediaPlayer2.video")][index]
    }
}

extension Settings {
    /// The settings of a simulation, chosen by its seed.
    static func simulated(_ seed: UInt64) -> Settings {
        var settings = Settings()
        settings.prefersBluetooth = seed % 2 == 0
        if seed % 3 == 0 { settings.interruptingReasons = Set(Reason.allCases) }
        if seed % 5 == 0 { settings.resumeLimits = [.call: .seconds(2), .sessionLocked: .zero] }
        if seed % 7 == 0 {
            settings.idlePause = .seconds(20)
            settings.idleStop = .seconds(80)
        }
        if seed % 13 == 0 { settings.route = Sources.name(1) }
        if seed % 11 == 0 { settings.sessionLimit = 2 }
        return settings
    }
}
