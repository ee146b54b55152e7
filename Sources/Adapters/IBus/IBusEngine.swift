import DBus
import EventLoop
import Typing

/// The engine's objects on IBus's bus, and the focus as IBus reports it.
@EventLoopActor
final class IBusEngine {
    enum Event {
        /// The field with the focus; nil if there is none.
        case field(TextField?)
        /// A field has the focus, but IBus does not name it.
        case unnamedFocus
        /// The field with the focus may be a password field. A key press there shows whether it is.
        case doubtfulField
        /// The engine was destroyed, and another is the global one.
        case destroyed
    }

    private let connection: Connection
    private let trustsEveryField: Bool
    private let report: @EventLoopActor (Event) -> Void
    /// The objects that IBus has created, the latest last.
    private var objects: [Object] = []
    private var lastNumber = 0
    private var lastVisit: UInt64 = 0
    /// The object with the focused context.
    private var focused: ObjectPath?
    private var context: InputContext?
    /// Whether the field may be a password field: the program has one context for all its fields, and the context had the
    /// focus before the engine was created, or was reset since. If the program passes a key to IBus, it is not: Qt does not
    /// pass the keys of password fields.
    private var isDoubtful = false
    /// Objects that got the focus from IBus when they were made, and not from a program.
    private var focusedObjects: Set<ObjectPath> = []
    /// Live text is shown.
    private var isShowing = false
    /// A report of the field is scheduled.
    private var isSettling = false
    private var settledAt = ContinuousClock.now
    private var focusedAt = ContinuousClock.now
    /// IBus reports purpose and hints to each object when they change, even while the focus moves.
    private var contentTypes: [ObjectPath: ContentType] = [:]

    private struct Object {
        var path: ObjectPath
        var engine: String
    }

    private struct ContentType {
        var purpose: UInt32
        var hints: UInt32
    }

    /// How long an application may take, after a change of focus, to report the purpose of the field.
    private static let focusDelay: Duration = .milliseconds(20)

    /// How long an application with a context for each field may take, after a change of focus, to report the text around
    /// the cursor.
    private static let textTimeout: Duration = .milliseconds(100)

    /// IBus has one or two at a time.
    private static let objectLimit = 16

    /// - Parameter trustsEveryField: fields that may be for passwords are as others.
    init(
        connection: Connection, trustsEveryField: Bool, report: @escaping @EventLoopActor (Event) -> Void
    ) {
        self.connection = connection
        self.trustsEveryField = trustsEveryField
        self.report = report
    }

    func register() async throws {
        connection.export(
            IBusInterface.factoryPath,
            interfaces: [IBusInterface.factoryDescription, IBusInterface.serviceDescription], handler: self)
        _ = try await connection.call(
            destination: IBusInterface.name, path: IBusInterface.path, interface: IBusInterface.bus,
            member: "RegisterComponent", [.variant(IBusDescription.component)], timeout: .seconds(5))
    }

    // MARK: Typing

    func show(_ text: String) {
        isShowing = true
        let length = UInt32(clamping: text.unicodeScalars.count)
        emit(
            "UpdatePreeditText",
            [.variant(IBusText.underlined(text)), .uint32(length), .bool(true), Self.clearMode])
    }

    func clear() {
        isShowing = false
        emit("UpdatePreeditText", [.variant(IBusText.plain("")), .uint32(0), .bool(false), Self.clearMode])
    }

    func commit(_ text: String) {
        emit("CommitText", [.variant(IBusText.plain(text))])
    }

    func delete(_ count: Int) {
        emit("DeleteSurroundingText", [.int32(-Int32(clamping: count)), .uint32(UInt32(clamping: count))])
    }

    /// Live text is dropped when the focus moves. In the other mode it would be committed into the next field.
    private static let clearMode = Value.uint32(0)

    /// Sends a signal from the focused object. It has no destination, because IBus ignores signals that have one.
    private func emit(_ member: MemberName, _ body: [Value]) {
        guard let focused else { return }
        // Fails only if the connection is closed, which is handled elsewhere.
        try? connection.emit(path: focused, interface: IBusInterface.engine, member: member, body)
    }

    // MARK: The focus

    private func focus(_ path: ObjectPath, _ name: String, _ client: String) {
        lastVisit += 1
        focused = path
        isShowing = false
        var context = InputContext(path: name, client: client, visit: lastVisit)
        if let type = contentTypes[path] {
            context.purpose = type.purpose
            context.hints = type.hints
        }
        self.context = context
        // Qt reports the focus to IBus only for fields that are not for passwords. What IBus reports to a new object may be
        // out of date.
        let isNew = focusedObjects.insert(path).inserted
        isDoubtful = false
        if context.hidesPasswords || isNew, !context.reportsPasswords, !context.isFake { doubt() }
        emit("RequireSurroundingText", [])
        focusedAt = .now
        settle(after: context.isOfOneField ? Self.textTimeout : Self.focusDelay)
        EventLoopActor.schedule(after: Self.focusDelay) { [weak self] in self?.askForText(context.visit) }
    }

    /// GTK 3 reports the text around the cursor when a key is pressed or live text begins. If it did not know at its focus
    /// that this engine needs the text, the first text would be glued to the word before it. So live text begins, and ends.
    private func askForText(_ visit: UInt64) {
        guard let context, context.visit == visit, context.surrounding == nil, context.isOfOneField else {
            return
        }
        let signals: [MemberName] = ["ShowPreeditText", "HidePreeditText"]
        for signal in isShowing ? signals.reversed() : signals { emit(signal, []) }
    }

    private func receive(_ surrounding: SurroundingText) {
        let isFirst = context?.surrounding == nil
        change { $0.surrounding = surrounding }
        guard isFirst, isSettling, context?.isOfOneField == true else { return }
        // What was waited for is there.
        settledAt = max(focusedAt + Self.focusDelay, .now)
        waitUntilSettled()
    }

    private func unfocus(_ path: ObjectPath) {
        guard path == focused else { return }
        context = nil
        report(.field(nil))
    }

    private func reset() {
        guard var reset = context else { return }
        lastVisit += 1
        reset.visit = lastVisit
        context = reset
        if !reset.isOfOneField {
            report(.field(nil))
            clear()
        }
        if !reset.reportsPasswords { doubt() }
        settle(after: Self.focusDelay)
    }

    private func doubt() {
        guard !trustsEveryField else { return }
        isDoubtful = true
        if context?.hidesPasswords == false { report(.doubtfulField) }
    }

    /// The program has passed a key to IBus.
    private func trust() {
        guard isDoubtful, context?.hidesPasswords == false else { return }
        isDoubtful = false
        settle(after: Self.focusDelay)
    }

    /// Reports the field when everything that IBus has sent about it has arrived: IBus reports the focus first, and then
    /// that the field is for passwords.
    private func settle(after delay: Duration = .zero) {
        settledAt = max(settledAt, ContinuousClock.now + delay)
        guard !isSettling else { return }
        isSettling = true
        waitUntilSettled()
    }

    private func waitUntilSettled() {
        let delay = settledAt - ContinuousClock.now
        guard delay <= .zero else {
            EventLoopActor.schedule(after: delay) { [weak self] in self?.waitUntilSettled() }
            return
        }
        Task { [weak self, connection] in
            // Everything sent before the reply has arrived, even if the reply is an error.
            _ = try? await connection.call(
                destination: .bus, path: .bus, interface: .bus, member: "GetId", timeout: .seconds(1))
            guard let self else { return }
            guard settledAt <= ContinuousClock.now else { return waitUntilSettled() }
            isSettling = false
            reportField()
        }
    }

    private func reportField() {
        guard let context, !context.isFake, !isDoubtful else { return report(.field(nil)) }
        report(.field(context.field))
    }

    /// The field has changed.
    private func change(_ body: (inout InputContext) -> Void) {
        guard var changed = context else { return }
        body(&changed)
        if changed == context { return }
        context = changed
        // Qt reports the last change of a field just before it resets the context for the next field. Firefox reports the
        // cursor of the next field after the focus.
        settle(after: changed.isOfOneField ? .zero : Self.focusDelay)
    }

    // MARK: Objects

    private func createEngine(_ name: String) throws(DBusError) -> ObjectPath {
        guard IBusDescription.engineNames.contains(name) else {
            throw .invalidArgs("there is no such engine")
        }
        lastNumber += 1
        guard let path = ObjectPath("/org/freedesktop/IBus/Engine/dictation/\(lastNumber)") else {
            throw .failed("no path for an engine")
        }
        objects.append(Object(path: path, engine: name))
        if objects.count > Self.objectLimit { remove(objects[0]) }
        connection.export(
            path, interfaces: [IBusInterface.engineDescription, IBusInterface.serviceDescription],
            handler: self)
        return path
    }

    private func remove(_ object: Object) {
        objects.removeAll { $0.path == object.path }
        contentTypes[object.path] = nil
        focusedObjects.remove(object.path)
        connection.unexport(object.path)
    }

    private func destroy(_ path: ObjectPath) {
        guard let object = objects.first(where: { $0.path == path }) else { return }
        remove(object)
        unfocus(path)
        if focused == path { focused = nil }
        if object.engine == IBusDescription.engineName, !isActive { report(.destroyed) }
    }

    /// Whether IBus has created the engine and not destroyed it.
    var isActive: Bool { objects.contains { $0.engine == IBusDescription.engineName } }

    private func isActive(_ path: ObjectPath) -> Bool {
        objects.contains { $0.path == path && $0.engine == IBusDescription.engineName }
    }
}

extension IBusEngine: ObjectHandler {
    func handle(_ call: MethodCall) {
        do throws(DBusError) {
            try check(call.sender)
            call.reply(try answer(call))
        } catch {
            call.fail(error)
        }
    }

    /// Only IBus may call: every program that uses IBus is on the same bus.
    private func check(_ sender: BusName) throws(DBusError) {
        guard sender == .bus || sender == IBusInterface.name else {
            throw .accessDenied("only IBus may call this")
        }
    }

    private func answer(_ call: MethodCall) throws(DBusError) -> [Value] {
        let path = call.path
        switch call.member {
        case "CreateEngine":
            return [.objectPath(try createEngine(try call.body().decoded(as: String.self)))]
        case "Destroy":
            destroy(path)
        case "ProcessKeyEvent":
            if path == focused { trust() }
            return [.bool(false)]
        case "FocusIn" where isActive(path):
            report(.unnamedFocus)
        case "FocusInId" where isActive(path):
            let (context, client) = try call.body().decoded(as: String.self, String.self)
            focus(path, context, client)
        case "FocusOut", "FocusOutId", "Disable":
            unfocus(path)
        case "Reset" where path == focused:
            reset()
        case "SetCursorLocation" where path == focused:
            let (x, y, _, _) = try call.body().decoded(as: Int32.self, Int32.self, Int32.self, Int32.self)
            change { $0.place = CursorPlace(x: x, y: y) }
        case "SetSurroundingText" where path == focused:
            let (text, cursor, anchor) = try call.body().decoded(as: Value.self, UInt32.self, UInt32.self)
            guard let text = IBusText.string(of: text) else { throw .invalidArgs("not an IBusText") }
            let surrounding = SurroundingText(text, cursor: Int(cursor), isSelecting: cursor != anchor)
            receive(surrounding)
        default:
            break
        }
        return []
    }

    func value(of property: PropertyAccess) throws(DBusError) -> Value { .bool(true) }

    func set(_ property: PropertyAccess, to value: Value) throws(DBusError) {
        try check(property.sender)
        guard case .structure(let members) = value, members.count == 2, let purpose = UInt32(members[0]),
            let hints = UInt32(members[1])
        else { throw .invalidArgs("not a content type") }
        guard isActive(property.path) else { return }
        contentTypes[property.path] = ContentType(purpose: purpose, hints: hints)
        guard property.path == focused else { return }
        // Nothing is typed until the new purpose is reported, which takes longer for such a context.
        if let context, !context.isOfOneField, context.purpose != purpose || context.hints != hints {
            report(.field(nil))
        }
        change {
            $0.purpose = purpose
            $0.hints = hints
        }
    }
}
