import DBus

/// The methods that IBus calls on an engine, and those that the engine calls on IBus.
enum IBusInterface {
    static let name: BusName = "org.freedesktop.IBus"
    static let path: ObjectPath = "/org/freedesktop/IBus"
    static let bus: InterfaceName = "org.freedesktop.IBus"
    static let factoryPath: ObjectPath = "/org/freedesktop/IBus/Factory"
    static let factory: InterfaceName = "org.freedesktop.IBus.Factory"
    static let service: InterfaceName = "org.freedesktop.IBus.Service"
    static let engine: InterfaceName = "org.freedesktop.IBus.Engine"

    /// Bytes of surrounding text. Some applications send the whole text of a field; a longer one is ignored.
    private static let surroundingLimits = MessageLimits(bytes: 4 << 20)

    static let factoryDescription = InterfaceDescription(
        factory, methods: [.init("CreateEngine", in: ["name": "s"], out: ["path": "o"])])

    static let serviceDescription = InterfaceDescription(service, methods: [.init("Destroy")])

    static let engineDescription = InterfaceDescription(
        engine,
        methods: [
            .init(
                "ProcessKeyEvent", in: ["keyval": "u", "keycode": "u", "state": "u"], out: ["handled": "b"]),
            .init("FocusIn"),
            .init("FocusInId", in: ["object_path": "s", "client": "s"]),
            .init("FocusOut"),
            .init("FocusOutId", in: ["object_path": "s"]),
            .init("Reset"), .init("Enable"), .init("Disable"),
            .init("SetCapabilities", in: ["caps": "u"]),
            .init("SetCursorLocation", in: ["x": "i", "y": "i", "w": "i", "h": "i"]),
            .init(
                "SetSurroundingText", in: ["text": "v", "cursor_pos": "u", "anchor_pos": "u"],
                limits: surroundingLimits),
            .init("PropertyActivate", in: ["name": "s", "state": "u"]),
            .init("PropertyShow", in: ["name": "s"]), .init("PropertyHide", in: ["name": "s"]),
            .init("PageUp"), .init("PageDown"), .init("CursorUp"), .init("CursorDown"),
            .init("CandidateClicked", in: ["index": "u", "button": "u", "state": "u"]),
            .init("PanelExtensionReceived", in: ["event": "v"]),
            .init("PanelExtensionRegisterKeys", in: ["data": "v"]),
        ],
        signals: [
            .init("CommitText", ["text": "v"]),
            .init("UpdatePreeditText", ["text": "v", "cursor_pos": "u", "visible": "b", "mode": "u"]),
            .init("DeleteSurroundingText", ["offset_from_cursor": "i", "nchars": "u"]),
            .init("RequireSurroundingText"), .init("ShowPreeditText"), .init("HidePreeditText"),
        ],
        properties: [
            .init("ContentType", "(uu)", .write),
            // IBus reads plain values here, although its own engines describe them as (b).
            .init("FocusId", "b"), .init("ActiveSurroundingText", "b"),
        ])
}
