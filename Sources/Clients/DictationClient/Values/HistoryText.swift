import DBus
import DictationInterface

/// A text of the user's history.
public struct HistoryText: Hashable, Sendable {
    /// Later texts have higher numbers.
    public var id: UInt64
    /// When it was final, in seconds since 1970.
    public var time: Int64
    /// The application that dictated it.
    public var application: Application
    /// The application into whose window it was typed, by its desktop id; nil if that is not known.
    public var window: String?
    /// A BCP 47 tag.
    public var language: String
    public var engine: String
    /// ``DictationClient/history(limit:before:reportsChanges:)`` has the first 500 characters.
    public var text: String
    /// Whether ``text`` lacks something.
    public var isCut: Bool
    /// The first text, if it was recognised again since; only of ``DictationClient/historyText(_:)``.
    public var original: String?
    /// The path of a WAV file with its sound; nil if none is kept.
    public var sound: String?
    /// Of the sound, in seconds.
    public var duration: Double?

    /// Nil if `details` has no number or no text.
    init?(_ details: [BusText: Value]) {
        let details = HistoryDetails(details)
        guard let id = details.id, let text = details.text else { return nil }
        self.id = id
        self.text = text
        time = details.time ?? 0
        application = Application(
            kind: .init(rawValue: details.kind ?? "unknown"), id: details.client ?? "")
        window = details.application
        language = details.language ?? ""
        engine = details.engine ?? ""
        isCut = details.long ?? false
        original = details.original
        sound = details.sound
        duration = details.duration
    }
}
