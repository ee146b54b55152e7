import DBus
import EventLoop

/// The objects of a ``StatusItem`` on the bus: the item, and its menu by the protocol com.canonical.dbusmenu.
@EventLoopActor
final class StatusItemObject: ObjectHandler {
    private(set) var content: StatusItemContent
    private let name: String
    private let opening: @EventLoopActor () async -> Void
    private let choose: @EventLoopActor (Int32) -> Void
    private var revision: UInt32 = 1

    nonisolated static let path: ObjectPath = "/StatusNotifierItem"
    nonisolated static let menuPath: ObjectPath = "/MenuBar"
    private nonisolated static let pixmaps: Signature = "(iiay)"
    /// Maximum number of entries in a call.
    private static let entryLimit = 64

    init(
        _ name: String, _ content: StatusItemContent, opening: @escaping @EventLoopActor () async -> Void,
        choose: @escaping @EventLoopActor (Int32) -> Void
    ) {
        self.name = name
        self.opening = opening
        self.content = content
        self.choose = choose
    }

    nonisolated static let item = InterfaceDescription(
        "org.kde.StatusNotifierItem",
        methods: [
            .init("ContextMenu", in: ["x": "i", "y": "i"]), .init("Activate", in: ["x": "i", "y": "i"]),
            .init("SecondaryActivate", in: ["x": "i", "y": "i"]),
            .init("Scroll", in: ["delta": "i", "orientation": "s"]),
        ],
        signals: [
            .init("NewTitle"), .init("NewIcon"), .init("NewToolTip"), .init("NewStatus", ["status": "s"]),
        ],
        properties: [
            ("Category", "s"), ("Id", "s"), ("Title", "s"), ("Status", "s"), ("WindowId", "i"),
            ("IconName", "s"), ("IconPixmap", "a(iiay)"), ("OverlayIconName", "s"),
            ("OverlayIconPixmap", "a(iiay)"), ("AttentionIconName", "s"), ("AttentionIconPixmap", "a(iiay)"),
            ("AttentionMovieName", "s"), ("ToolTip", "(sa(iiay)ss)"), ("IconThemePath", "s"),
            ("ItemIsMenu", "b"), ("Menu", "o"),
        ].map { .init($0, $1, change: .nothing) })

    nonisolated static let menu = InterfaceDescription(
        "com.canonical.dbusmenu",
        methods: [
            .init(
                "GetLayout", in: ["parentId": "i", "recursionDepth": "i", "propertyNames": "as"],
                out: ["revision": "u", "layout": "(ia{sv}av)"]),
            .init(
                "GetGroupProperties", in: ["ids": "ai", "propertyNames": "as"],
                out: ["properties": "a(ia{sv})"]),
            .init("GetProperty", in: ["id": "i", "name": "s"], out: ["value": "v"]),
            .init("Event", in: ["id": "i", "eventId": "s", "data": "v", "timestamp": "u"]),
            .init("EventGroup", in: ["events": "a(isvu)"], out: ["idErrors": "ai"]),
            .init("AboutToShow", in: ["id": "i"], out: ["needUpdate": "b"]),
            .init("AboutToShowGroup", in: ["ids": "ai"], out: ["updatesNeeded": "ai", "idErrors": "ai"]),
        ],
        signals: [
            .init("ItemsPropertiesUpdated", ["updatedProps": "a(ia{sv})", "removedProps": "a(ias)"]),
            .init("LayoutUpdated", ["revision": "u", "parent": "i"]),
        ],
        properties: [
            .init("Version", "u", change: .nothing), .init("TextDirection", "s", change: .nothing),
            .init("Status", "s", change: .nothing), .init("IconThemePath", "as", change: .nothing),
        ])

    /// Shows another content, and tells the tray.
    func update(_ content: StatusItemContent, on connection: Connection) throws {
        let old = self.content
        self.content = content
        if old.title != content.title {
            try emit("NewTitle", on: connection)
            try emit("NewToolTip", on: connection)
        }
        if old.icon != content.icon { try emit("NewIcon", on: connection) }
        if old.entries != content.entries {
            revision &+= 1
            try connection.emit(
                path: Self.menuPath, interface: Self.menu.name, member: "LayoutUpdated",
                [.uint32(revision), .int32(0)])
        }
    }

    private func emit(_ member: MemberName, on connection: Connection) throws {
        try connection.emit(path: Self.path, interface: Self.item.name, member: member, [])
    }

    // MARK: Calls

    func handle(_ call: MethodCall) {
        if call.interface == Self.menu.name, call.member == "AboutToShow" {
            Task {
                let before = revision
                await opening()
                call.reply([.bool(revision != before)])
            }
            return
        }
        do throws(DBusError) {
            call.reply(try answer(call))
        } catch {
            call.fail(error)
        }
    }

    private func answer(_ call: MethodCall) throws(DBusError) -> [Value] {
        // A click does the first thing that the menu offers. The tray shows the menu itself.
        guard call.interface == Self.menu.name else {
            if call.member == "Activate", let first = content.entries.first(where: \.isEnabled) {
                choose(first.id)
            }
            return []
        }
        let body = try call.body()
        switch call.member {
        case "GetLayout":
            let (parent, depth, _) = try body.decoded(as: Int32.self, Int32.self, [BusText].self)
            return [.uint32(revision), try layout(of: parent, depth: depth)]
        case "GetGroupProperties":
            let (ids, _) = try body.decoded(as: [Int32].self, [BusText].self)
            let wanted = ids.isEmpty ? [0] + content.entries.map(\.id) : Array(ids.prefix(Self.entryLimit))
            let found = wanted.compactMap { id in
                properties(of: id).map { Value.structure([.int32(id), Value($0)]) }
            }
            return [.array(found, of: "(ia{sv})")]
        case "GetProperty":
            let (id, name) = try body.decoded(as: Int32.self, BusText.self)
            guard let value = properties(of: id)?[name] else {
                throw .invalidArgs("There is no such property.")
            }
            return [.variant(value)]
        case "Event":
            let (id, event, _, _) = try body.decoded(as: Int32.self, BusText.self, Value.self, UInt32.self)
            if event == "clicked" { click(id) }
            return []
        case "EventGroup":
            guard case .array(let events, _)? = body.first else { return [Value([] as [Int32])] }
            for case .structure(let parts) in events.prefix(Self.entryLimit) {
                guard case .int32(let id)? = parts.first, parts.count > 1, BusText(parts[1]) == "clicked"
                else {
                    continue
                }
                click(id)
            }
            return [Value([] as [Int32])]
        case "AboutToShowGroup": return [Value([] as [Int32]), Value([] as [Int32])]
        default: throw DBusError(.unknownMethod, "There is no such method.")
        }
    }

    private func click(_ id: Int32) {
        if content.entries.contains(where: { $0.id == id && $0.isEnabled }) { choose(id) }
    }

    private func layout(of id: Int32, depth: Int32) throws(DBusError) -> Value {
        guard let properties = properties(of: id) else { throw .invalidArgs("There is no such entry.") }
        var children: [Value] = []
        if id == 0, depth != 0 {
            for entry in content.entries { children.append(.variant(try layout(of: entry.id, depth: 0))) }
        }
        return .structure([.int32(id), Value(properties), .array(children, of: "v")])
    }

    private func properties(of id: Int32) -> [BusText: Value]? {
        if id == 0 { return ["children-display": .string("submenu")] }
        guard let entry = content.entries.first(where: { $0.id == id }) else { return nil }
        // An underscore marks a key.
        return [
            "label": .string(entry.label.replacing("_", with: "__")), "enabled": .bool(entry.isEnabled),
            "visible": .bool(true),
        ]
    }

    // MARK: Properties

    func value(of property: PropertyAccess) throws(DBusError) -> Value {
        if property.interface == Self.menu.name {
            return switch property.name {
            case "Version": .uint32(3)
            case "TextDirection": .string("ltr")
            case "Status": .string("normal")
            default: Value([] as [BusText])
            }
        }
        let noPixmaps = Value.array([], of: Self.pixmaps)
        return switch property.name {
        case "Category": .string("ApplicationStatus")
        case "Id": .string(name)
        case "Title": .string(content.title)
        case "Status": .string("Active")
        case "WindowId": .int32(0)
        case "IconName": .string(content.icon)
        case "IconPixmap", "OverlayIconPixmap", "AttentionIconPixmap": noPixmaps
        case "ToolTip": .structure([.string(""), noPixmaps, .string(content.title), .string("")])
        case "ItemIsMenu": .bool(true)
        case "Menu": .objectPath(Self.menuPath)
        default: .string("")
        }
    }
}
