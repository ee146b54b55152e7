import DBus

/// IBus's serialised objects: a variant with a structure of a name, attachments and members.
enum IBusText {
    /// Underlined text.
    static func underlined(_ text: String) -> Value {
        // Type, value, start, end. Type 1 is an underline, value 1 a single line.
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

/// The description of the engine for IBus.
enum IBusDescription {
    static let engineName = "dictation"
    /// An engine that does nothing. IBus asks an engine at its first creation whether to name input contexts, and does so
    /// from the second creation on. So another engine must be set in between.
    static let idleEngineName = "dictation-idle"
    static let engineNames = [engineName, idleEngineName]

    static let component: Value = {
        let strings = [
            "org.freedesktop.IBus.Dictation", "Types dictated text", "0.1.0", "", "",
            "https://example.org/dictation", "", "dictation",
        ]
        return IBusText.object(
            "IBusComponent",
            strings.map { .string($0) } + [
                .array([], of: "v"), .array(engineNames.map { .variant(engine($0)) }, of: "v"),
            ])
    }()

    /// Its layout is "default", which leaves the keyboard unchanged.
    private static func engine(_ name: String) -> Value {
        let strings = [
            name, "Dictation", "Types dictated text while dictation is on", "", "", "",
            "audio-input-microphone", "default",
        ]
        // Rank; then hotkeys, symbol, layout variant, layout option, version, text domain, property of the icon.
        let rest = ["", "", "", "", "", "", "", ""]
        return IBusText.object(
            "IBusEngineDesc", strings.map { .string($0) } + [.uint32(0)] + rest.map { .string($0) })
    }

    /// The name in the description of an engine; nil if the value is something else.
    static func name(of value: Value) -> String? {
        guard case .structure(let members) = value, members.count >= 3,
            members[0] == .string("IBusEngineDesc"),
            case .string(let name) = members[2]
        else { return nil }
        return name.string
    }
}
