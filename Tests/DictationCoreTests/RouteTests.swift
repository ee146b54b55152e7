import DictationCore
import Testing

@Suite struct RouteTests {
    private func changes(_ scenario: Scenario, _ session: SessionID) -> [String] {
        scenario.signals(session).compactMap {
            guard case .routeChanged(let reason, let previous, let current) = $0 else { return nil }
            return
                "\(reason.rawValue): \(previous?.source.name.rawValue ?? "-") \(current?.source.name.rawValue ?? "-")"
        }
    }

    private func targets(_ scenario: Scenario) -> [NodeName?] {
        scenario.effects.compactMap { if case .openCapture(_, _, let target) = $0 { target } else { nil } }
    }

    @Test func setsUserAndMicrophoneOfTheRecogniser() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .usb))
        let session = scenario.start()
        scenario.flow(session, from: .usb)
        scenario.handle(.audio(.facts([.builtIn], default: .builtIn)))
        scenario.handle(.capture(CaptureID(rawValue: 1), .linked(.builtIn)))
        scenario.handle(.recognition(session, .engineLost(.failed, message: "")))
        scenario.wait(.seconds(10))
        let told: [String] = scenario.effects.compactMap { effect in
            switch effect {
            case .openTranscription: "opened"
            case .transcription(session, .acoustics(.microphone(let name, Client.editor.identity))):
                "\(name.rawValue)"
            default: nil
            }
        }
        #expect(told == ["opened", "alsa_input.usb", "alsa_input.pci", "opened", "alsa_input.pci"])
    }

    @Test func aMovedStreamReportsTheRouteChange() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .usb))
        let session = scenario.start()
        scenario.flow(session, from: .usb)
        scenario.clear()
        scenario.handle(.audio(.facts([.builtIn], default: .builtIn)))
        scenario.handle(.capture(CaptureID(rawValue: 1), .linked(.builtIn)))
        #expect(changes(scenario, session) == ["device-removed: alsa_input.usb alsa_input.pci"])
        #expect(scenario.captures.count == 1)
        #expect(scenario.story(session).isEmpty)
    }

    @Test func aNewMicrophoneIsReportedAsNewDevice() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.wait(.seconds(10))
        scenario.handle(.audio(.facts([.builtIn, .usb], default: .builtIn)))
        scenario.wait(.milliseconds(5))
        scenario.handle(.audio(.facts([.builtIn, .usb], default: .usb)))
        scenario.handle(.capture(CaptureID(rawValue: 1), .linked(.usb)))
        #expect(changes(scenario, session) == ["new-device: alsa_input.pci alsa_input.usb"])
    }

    @Test func aMicrophoneIsNewForTwoSeconds() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.audio(.facts([.builtIn, .usb], default: .builtIn)))
        scenario.wait(.seconds(3))
        scenario.handle(.audio(.facts([.builtIn, .usb], default: .usb)))
        scenario.handle(.capture(CaptureID(rawValue: 1), .linked(.usb)))
        #expect(changes(scenario, session) == ["default-changed: alsa_input.pci alsa_input.usb"])
    }

    @Test func anOldMicrophoneIsReportedAsDefaultChanged() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        let session = scenario.listen()
        scenario.wait(.seconds(10))
        scenario.handle(.audio(.facts([.builtIn, .usb], default: .usb)))
        scenario.handle(.capture(CaptureID(rawValue: 1), .linked(.usb)))
        #expect(changes(scenario, session) == ["default-changed: alsa_input.pci alsa_input.usb"])
    }

    @Test func reportsAServerRestart() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.audio(.serverLost))
        scenario.handle(.audio(.desk))
        #expect(scenario.machine.properties.route == nil)
        scenario.flow(session)
        #expect(changes(scenario, session) == ["server-restarted: alsa_input.pci alsa_input.pci"])
    }

    @Test func aProfileChangeIsReportedAndIsNotACall() {
        var scenario = Scenario(audio: .facts([.headset], default: .headset))
        let session = scenario.start()
        scenario.flow(session, from: .headset)
        var facts = AudioFacts.facts([.headset], default: .headset)
        facts.sources[.headset]?.bluetoothProfile = "headset-head-unit"
        scenario.clear()
        scenario.handle(.audio(facts))
        #expect(changes(scenario, session) == ["profile-changed: bluez_input.headset bluez_input.headset"])
        #expect(scenario.story(session).isEmpty)
    }

    @Test func boundsRememberedMicrophones() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        scenario.call(.selectRoute(.usb))
        let passing = (0..<1000).map { NodeName("passing \($0)") }
        for name in passing { scenario.handle(.audio(.facts([.builtIn, name], default: .builtIn))) }
        scenario.handle(.audio(.serverLost))
        #expect(scenario.machine.world.knownSources.count == 64)
        #expect(scenario.machine.world.knownSources[.builtIn] != nil)
        #expect(scenario.machine.world.knownSources[.usb] != nil)
        scenario.handle(.audio(.desk))
        #expect(scenario.machine.world.knownSources.count == 64)
        let oldest = scenario.call(.selectRoute(passing[0]))
        #expect(scenario.answers(to: oldest) == [.refused(.noSource)])
        let latest = scenario.call(.selectRoute(passing[999]))
        #expect(scenario.answers(to: latest) == [.reply(.done)])
    }

    /// They count among those that are absent.
    @Test func boundsRestoredMicrophones() {
        var scenario = Scenario(audio: nil)
        scenario.handle(
            .routesRestored(RouteChoices(selected: nil, chosen: [Source(name: .usb, bus: "usb")])))
        for number in 0..<100 {
            scenario.handle(.audio(.facts([.builtIn, NodeName("passing \(number)")], default: .builtIn)))
        }
        scenario.handle(.audio(.serverLost))
        #expect(scenario.machine.world.knownSources.count == 64)
        #expect(scenario.machine.world.knownSources[.usb] != nil)
    }

    @Test func usesTheSelectedMicrophoneWheneverPresent() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        let session = scenario.listen()
        let call = scenario.call(.selectRoute(.usb))
        #expect(scenario.answers(to: call) == [.reply(.done)])
        scenario.flow(session, from: .usb)
        scenario.handle(.audio(.desk))
        scenario.flow(session)
        scenario.handle(.audio(.facts([.builtIn, .usb], default: .builtIn)))
        scenario.flow(session, from: .usb)
        #expect(targets(scenario) == [.usb, nil, .usb])
        #expect(
            changes(scenario, session).map { $0.prefix(14) } == [
                "selected: alsa", "device-removed", "new-device: al",
            ])
        #expect(scenario.captures.count == 1)
        #expect(!scenario.story(session).contains { $0.hasPrefix("Interrupted") })
    }

    @Test func selectedMicrophonesStayListed() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb, .headset], default: .builtIn))
        scenario.call(.selectRoute(.headset))
        scenario.call(.selectRoute(.usb))
        scenario.call(.selectRoute(nil))
        scenario.handle(.audio(.desk))
        let list = scenario.call(.listRoutes)
        guard case .reply(.routes(let routes)) = scenario.answers(to: list).first else {
            Issue.record("ListRoutes was not answered")
            return
        }
        #expect(routes.map(\.source.name) == [.builtIn, .usb, .headset])
        #expect(routes.map(\.isAvailable) == [true, false, false])
        #expect(routes.map(\.isSelected) == [false, false, false])
    }

    @Test func usesAndListsARestoredSelection() {
        var scenario = Scenario(audio: nil)
        let usb = Source(name: .usb, description: "A microphone", bus: "usb")
        scenario.handle(.routesRestored(RouteChoices(selected: .usb, chosen: [usb])))
        scenario.handle(.audio(.desk))
        let list = scenario.call(.listRoutes)
        guard case .reply(.routes(let routes)) = scenario.answers(to: list).first else {
            Issue.record("ListRoutes was not answered")
            return
        }
        #expect(routes.map(\.source.description) == ["", "A microphone"])
        #expect(routes.map(\.isSelected) == [false, true])
        scenario.handle(.audio(.facts([.builtIn, .usb], default: .builtIn)))
        scenario.start()
        #expect(targets(scenario) == [.usb])
    }

    @Test func storesASelectionWithItsDescription() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        let call = scenario.call(.selectRoute(.usb))
        let usb = Source(name: .usb, bus: "pci")
        let choices = RouteChoices(selected: .usb, chosen: [usb])
        #expect(scenario.effects.contains(.storeRoutes(choices, for: call)))
    }

    @Test func optionsOverrideSelectionsAndConfiguration() {
        var settings = Settings()
        settings.route = .headset
        let all: [NodeName] = [.builtIn, .usb, .headset]
        var scenario = Scenario(settings: settings, audio: .facts(all, default: .builtIn))
        scenario.start()
        scenario.call(.stop)
        scenario.call(.selectRoute(.usb))
        scenario.start()
        scenario.call(.stop)
        scenario.start { $0.route = .builtIn }
        #expect(targets(scenario) == [.headset, .usb, .builtIn])
    }

    @Test func refusesAnUnknownRouteAndKeepsAnAbsentOne() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        let unknown = scenario.call(.selectRoute(NodeName("nonsense")))
        #expect(scenario.answers(to: unknown) == [.refused(.noSource)])
        scenario.handle(.audio(.desk))
        let absent = scenario.call(.selectRoute(.usb))
        #expect(scenario.answers(to: absent) == [.reply(.done)])
        let list = scenario.call(.listRoutes)
        guard case .reply(.routes(let routes)) = scenario.answers(to: list).first else {
            Issue.record("ListRoutes was not answered")
            return
        }
        #expect(routes.map(\.source.name) == [.builtIn, .usb])
        #expect(routes.map(\.isAvailable) == [true, false])
        #expect(routes.map(\.isSelected) == [false, true])
    }

    @Test func fallsBackToTheDefaultWhenTheSelectionFails() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        let session = scenario.start { $0.route = .usb }
        scenario.handle(.capture(CaptureID(rawValue: 1), .failed(.refused("format"))))
        #expect(targets(scenario) == [.usb, nil])
        scenario.flow(session)
        #expect(
            scenario.story(session) == [
                "starting (started)", "Error routeChangeFailed", "listening (flowing)",
            ])
        scenario.clear()
        scenario.handle(.audio(.desk))
        scenario.handle(.audio(.facts([.builtIn, .usb], default: .builtIn)))
        #expect(targets(scenario) == [.usb])
    }

    @Test func aFailedMicrophoneIsReportedAsDeviceFailed() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        let session = scenario.start { $0.route = .usb }
        scenario.flow(session, from: .usb)
        scenario.handle(.capture(CaptureID(rawValue: 1), .failed(.refused("removed"))))
        scenario.flow(session)
        #expect(changes(scenario, session) == ["device-failed: alsa_input.usb alsa_input.pci"])
    }

    @Test func triesEachMicrophoneOnce() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb, .headset], default: .builtIn))
        scenario.call(.selectRoute(.headset))
        let session = scenario.start { $0.route = .usb }
        for _ in 1...3 {
            guard let capture = scenario.capture(of: session) else { break }
            scenario.handle(.capture(capture, .failed(.refused("busy"))))
        }
        #expect(targets(scenario) == [.usb, .headset, nil])
        #expect(scenario.captures.isEmpty)
        scenario.clear()
        scenario.call(.resume)
        #expect(targets(scenario) == [.usb])
    }

    @Test func prefersBluetoothIfConfigured() {
        var settings = Settings()
        settings.prefersBluetooth = true
        var scenario = Scenario(settings: settings)
        let session = scenario.listen()
        scenario.handle(.audio(.facts([.builtIn, .headset], default: .builtIn)))
        #expect(targets(scenario) == [.headset])
        scenario.flow(session, from: .headset)
        #expect(changes(scenario, session) == ["new-device: alsa_input.pci bluez_input.headset"])
    }

    @Test func aMonitorIsNotASource() {
        var scenario = Scenario(audio: .noSource)
        let session = scenario.start()
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(session).first == "Interrupted no-source")
    }

    @Test func aMicrophoneThatCameWithTheServerIsNotNew() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        let session = scenario.listen()
        scenario.wait(.seconds(10))
        scenario.handle(.audio(.serverLost))
        scenario.handle(.audio(.facts([.builtIn, .usb], default: .builtIn)))
        scenario.flow(session)
        scenario.clear()
        scenario.handle(.audio(.facts([.builtIn, .usb], default: .usb)))
        scenario.handle(.capture(CaptureID(rawValue: 2), .linked(.usb)))
        #expect(changes(scenario, session) == ["default-changed: alsa_input.pci alsa_input.usb"])
    }

    @Test func returningMicrophonesStayListed() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        for _ in 0..<200 {
            scenario.handle(.audio(.desk))
            scenario.handle(.audio(.facts([.builtIn, .usb], default: .builtIn)))
            #expect(scenario.machine.world.knownSources[.usb] != nil)
            scenario.handle(.audio(.facts([.usb], default: .usb)))
            #expect(scenario.machine.world.knownSources[.usb] != nil)
            scenario.handle(.audio(.facts([.builtIn, .usb], default: .builtIn)))
        }
    }

    @Test(arguments: ["server restart", "selection", "settings"])
    func aFailedMicrophoneIsTriedAgainAfter(_ change: String) {
        var settings = Settings()
        var scenario = Scenario(settings: settings, audio: .facts([.builtIn, .usb], default: .builtIn))
        scenario.call(.selectRoute(.usb))
        let session = scenario.start()
        scenario.handle(.capture(CaptureID(rawValue: 1), .failed(.refused("busy"))))
        scenario.flow(session)
        #expect(targets(scenario) == [.usb, nil])
        switch change {
        case "server restart":
            scenario.handle(.audio(.serverLost))
            scenario.handle(.audio(.facts([.builtIn, .usb], default: .builtIn)))
        case "selection": scenario.call(.selectRoute(.usb))
        default:
            settings.route = .usb
            scenario.handle(.settings(settings))
        }
        #expect(targets(scenario) == [.usb, nil, .usb])
    }
}
