import DBus
import DictationInterface
import Typing

/// The options of BeginField.
struct FieldOptions {
    var style = TypingStyle(fitsCapitals: false)
    var showsLiveText = true

    /// A BCP 47 tag is at most as long.
    private static let languageLimit = 35

    init(_ options: [BusText: Value]) throws(DBusError) {
        func flag(_ key: BusText) throws(DBusError) -> Bool? {
            guard let value = options[key] else { return nil }
            guard let flag = Bool(value) else { throw .invalidArgs("The option '\(key)' is a boolean.") }
            return flag
        }
        style.fitsText = try flag(FieldOption.fit) ?? true
        style.fitsCapitals = try flag(FieldOption.capitals) ?? false
        showsLiveText = try flag(FieldOption.live) ?? true
        style.showsLiveText = showsLiveText
        guard let language = options[FieldOption.language] else { return }
        guard let tag = BusText(language), tag.count <= Self.languageLimit else {
            throw .invalidArgs("The option 'language' is a BCP 47 tag, such as en-US.")
        }
        style.language = tag.string
    }
}
