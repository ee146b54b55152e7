import DBus
import DictationInterface
import Testing

@Suite struct MessageTests {
    @Test func signalsRoundTrip() throws {
        let signals: [DictationSignal] = [
            .partial(session: 1, block: 2, offset: 3, stable: "a ", volatile: "b", details: [:]),
            .final(session: 1, block: 2, text: "a b", details: ["confidence": Value(0.5)]),
            .level(session: 1, rmsDbfs: -30, peakDbfs: -20, details: [:]),
            .problemsChanged(session: 1, problems: ["muted", "clipping"], details: [:]),
            .routeChanged(
                session: 1, reason: "selected", previous: [:], current: ["name": Value("m")], details: [:]),
            .permissionChanged(resource: "speech", status: "granted", details: [:]),
        ]
        for signal in signals {
            #expect(try DictationSignal(signal.member, signal.body) == signal)
        }
    }

    @Test func everyMethodHasARequest() {
        #expect(
            DictationMethod.allCases.map(\.rawValue)
                == DictationInterface.description.methods.map(\.name.rawValue))
        #expect(
            DictationProperty.allCases.map(\.rawValue)
                == DictationInterface.description.properties.map(\.name))
    }

    @Test func refusesArgumentsOfOtherTypes() throws {
        #expect(throws: DBusError.self) { try DictationRequest(.start, [Value("linger")]) }
        #expect(throws: DBusError.self) { try DictationRequest(.selectRoute, [Value("mic")]) }
        #expect(
            try DictationRequest(.selectRoute, [Value("mic"), Value([:] as [BusText: Value])])
                == .selectRoute(name: "mic", options: [:]))
    }

    @Test func convertsErrorNames() {
        let name = DictationInterface.errorName(.notRunning)
        #expect(name.rawValue == "org.example.Dictation.Error.NotRunning")
        #expect(DictationInterface.errorKind(name.rawValue) == .notRunning)
        #expect(DictationInterface.errorKind("org.freedesktop.DBus.Error.Failed") == nil)
    }
}
