import DBus
import DictationBus
import DictationCore
import DictationInterface
import Typing

/// The options of BeginField.
struct FieldOptions {
    var style = TypingStyle(fitsCapitals: false)
    var showsLiveText = true

    init(_ options: [BusText: Value]) throws(Refusal) {
        let reader = OptionReader(options: options)
        style.fitsText = try reader.bool(FieldOption.fit) ?? true
        style.fitsCapitals = try reader.bool(FieldOption.capitals) ?? false
        showsLiveText = try reader.bool(FieldOption.live) ?? true
        style.showsLiveText = showsLiveText
        style.language = try reader.string(FieldOption.language, atMost: .tag) ?? ""
    }
}
