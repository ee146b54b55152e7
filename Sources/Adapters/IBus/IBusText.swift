import DBus

/// The objects of IBus as values: structures of a name, attachments and members, in a variant.
enum IBusText {
    /// Text, underlined from end to end.
    static func underlined(_ text: String) -> Value {
        // Type, value, start, end: an underline (1) of a single line (1).
        let underline = object(
            "IBusAttribute",
            [.uint32(1), .uint32(1), .uint32(0), .uint32(UInt32(clamping: text.unicodeScalars.count))])
        return self.text(text, [.variant(underline)])
    }

    static func plain(_ text: String) -> Value { self.text(text, []) }

    private static func text(_ text: String, _ attributes: [Value]) -> Value {
        let list = object("IBusAttrList", [.array(attributes, of: "v")])
        return object("IBusText", [.string(text), .variant(list)])
    }

    /// The string of an IBusText; nil if it is something else.
    static func string(of value: Value) -> String? {
        guard case .structure(let members) = value, members.count >= 3, members[0] == .string("IBusText"),
            case .string(let text) = members[2]
        else { return nil }
        return text.string
    }

    static func object(_ name: String, _ members: [Value]) -> Value {
        .structure([.string(name), Value([:] as [BusText: Value])] + members)
    }
}

/// The engine as IBus knows it.
enum IBusDescription {
    static let engineName = "dictation"

    static let component: Value = {
        let strings = [
            "org.freedesktop.IBus.Dictation", "Types dictated text", "0.1.0", "", "",
            "https://example.org/dictation", "", "dictation",
        ]
        return IBusText.object(
            "IBusComponent",
            strings.map { .string($0) } + [.array([], of: "v"), .array([.variant(engine)], of: "v")])
    }()

    /// Its layout is "default": the keyboard stays as it is.
    private static let engine: Value = {
        let strings = [
            engineName, "Dictation", "Types dictated text while dictation is on", "", "", "",
            "audio-input-microphone", "default",
        ]
        // Rank; then hotkeys, symbol, layout variant, layout option, version, text domain, property of the icon.
        let rest = ["", "", "", "", "", "", "", ""]
        return IBusText.object(
            "IBusEngineDesc", strings.map { .string($0) } + [.uint32(0)] + rest.map { .string($0) })
    }()

    /// The name of an engine; nil if the value is no description of one.
    static func name(of value: Value) -> String? {
        guard case .structure(let members) = value, members.count >= 3,
            members[0] == .string("IBusEngineDesc"),
            case .string(let name) = members[2]
        else { return nil }
        return name.string
    }
}
