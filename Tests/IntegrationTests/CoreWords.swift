import DictationCore

/// The core's words, in a separate file because the client's types have the same names.
enum CoreWords {
    static let states = SessionState.allCases.map(\.rawValue)
    static let reasons = Reason.allCases.map(\.rawValue)
    static let routeChanges = RouteChangeReason.allCases.map(\.rawValue)
    static let stops = StopReason.allCases.map(\.rawValue)
    static let resources = Resource.allCases.map(\.rawValue)
    static let statuses = PermissionStatus.allCases.map(\.rawValue)
}
