public import DBus

extension DictationInterface {
    /// The well-known name of the service.
    public static let busName: BusName = "org.example.Dictation"

    /// How long to wait for the reply of Commit, which may have speech to decode.
    public static let commitTimeout: Duration = .seconds(60)
    /// How long to wait for the reply of RequestPermission, which waits for a person.
    public static let permissionTimeout: Duration = .seconds(90)

    private static let errorPrefix = "org.example.Dictation.Error."

    public static func errorName(_ kind: DictationErrorKind) -> ErrorName {
        ErrorName(stringLiteral: errorPrefix + kind.rawValue)
    }

    /// The reverse of ``errorName(_:)``; nil if `name` is not an error of this interface, or is one of a newer service.
    public static func errorKind(_ name: String) -> DictationErrorKind? {
        guard name.hasPrefix(errorPrefix) else { return nil }
        return DictationErrorKind(rawValue: String(name.dropFirst(errorPrefix.count)))
    }
}

extension DictationShortcutsInterface {
    /// The well-known name of the process that has the shortcuts, on the bus of the desktop session.
    public static let busName: BusName = "org.example.Dictation.Shortcuts"
}
