public import DBus

extension DictationInterface {
    /// The well-known name of the service.
    public static let busName: BusName = "org.example.Dictation"

    /// How long to wait for the reply of Commit, which may have speech to decode.
    public static let commitTimeout: Duration = .seconds(60)
    /// How long to wait for the reply of RequestPermission, which waits for a person.
    public static let permissionTimeout: Duration = .seconds(90)

    private static let errorPrefix = "org.example.Dictation.Error."

    /// `kind` is one of the names in the list of errors, such as `NotRunning`.
    public static func errorName(_ kind: String) -> ErrorName {
        ErrorName(stringLiteral: errorPrefix + kind)
    }

    /// The reverse of ``errorName(_:)``; nil where `name` is no error of this interface.
    public static func errorKind(_ name: String) -> String? {
        name.hasPrefix(errorPrefix) ? String(name.dropFirst(errorPrefix.count)) : nil
    }
}
