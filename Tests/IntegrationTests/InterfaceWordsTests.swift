import DictationClient
import Testing

/// The core has exactly the interface's words.
@Suite struct InterfaceWordsTests {
    @Test(arguments: [
        ("states", CoreWords.states, SessionState.known.map(\.rawValue)),
        ("reasons", CoreWords.reasons, InterruptionReason.known.map(\.rawValue)),
        ("changes of the route", CoreWords.routeChanges, RouteChangeReason.known.map(\.rawValue)),
        ("reasons of the end", CoreWords.stops, StopReason.known.map(\.rawValue)),
        ("resources", CoreWords.resources, Resource.known.map(\.rawValue)),
        ("permissions", CoreWords.statuses, PermissionStatus.known.map(\.rawValue)),
    ])
    func theCoreUsesTheInterfacesWords(kind: String, core: [String], interface: [String]) {
        #expect(Set(core) == Set(interface))
        #expect(core.count == interface.count)
    }
}
