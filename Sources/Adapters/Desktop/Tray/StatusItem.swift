public import DBus
public import EventLoop
import Glibc

/// An item in the desktop's tray, by the protocol StatusNotifierItem
/// (https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem), with a menu.
///
/// It is there while there is something to show and a tray: both may come and go.
@EventLoopActor
public final class StatusItem {
    private let connection: Connection
    private let connect: @Sendable () async throws -> Connection
    private let name: String
    private let owned: BusName?
    private let trayChanged: @EventLoopActor () -> Void
    private let opening: (@EventLoopActor () async -> Void)?
    private let choose: @EventLoopActor (Int32) -> Void
    private let report: @EventLoopActor (DesktopError) -> Void
    private var content: StatusItemContent?
    /// The owner of the watcher's name.
    private var watcher: BusName?
    private var shown: Shown?
    private var isStopped = false
    private var work: Task<Void, Never>?

    /// An item has a connection of its own. When it is closed the item is gone.
    private struct Shown {
        let connection: Connection
        let object: StatusItemObject
        /// With which it is registered.
        var watcher: BusName?
    }

    private static let watcherName: BusName = "org.kde.StatusNotifierWatcher"

    /// - Parameters:
    ///   - name: identifies the application to trays.
    ///   - owned: a name on that bus that the item has while it is there.
    ///   - connection: to the bus of the desktop session, to see whether there is a tray.
    ///   - connect: makes another connection to that bus.
    ///   - trayChanged: called when ``hasTray`` has changed.
    ///   - opening: called before the menu is shown, which waits for it; trays may leave it out.
    ///   - choose: called with the id of an entry of the menu that the user has chosen.
    ///   - report: called with failures, for the log.
    public init(
        _ name: String, owning owned: BusName? = nil, on connection: Connection,
        connect: @escaping @Sendable () async throws -> Connection,
        trayChanged: @escaping @EventLoopActor () -> Void,
        opening: (@EventLoopActor () async -> Void)? = nil,
        choose: @escaping @EventLoopActor (Int32) -> Void,
        report: @escaping @EventLoopActor (DesktopError) -> Void
    ) {
        self.name = name
        self.owned = owned
        self.opening = opening
        self.connection = connection
        self.connect = connect
        self.trayChanged = trayChanged
        self.choose = choose
        self.report = report
    }

    /// Whether the desktop has a tray.
    public var hasTray: Bool { watcher != nil }

    /// Starts looking for a tray.
    public func start() async {
        do {
            try await connection.listen(
                MatchRule(
                    sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged",
                    arguments: [0: Self.watcherName.rawValue])
            ) { [weak self] change in
                self?.watcherChanged(change.body.last.flatMap { BusText($0) }.flatMap { BusName($0) })
            }
            watcherChanged(try await connection.owner(of: Self.watcherName))
        } catch {
            report(DesktopError(.noTray, error))
        }
    }

    /// Shows this, or nothing.
    public func show(_ content: StatusItemContent?) {
        self.content = content
        reconcile()
    }

    /// Removes the item. Returns when it is gone.
    public func stop() async {
        isStopped = true
        reconcile()
        await work?.value
    }

    private func watcherChanged(_ owner: BusName?) {
        watcher = owner
        reconcile()
        trayChanged()
    }

    private func reconcile() {
        guard work == nil else { return }
        work = Task {
            while await step() {}
            work = nil
        }
    }

    /// Does one thing of what is missing. Returns false if there is nothing to do, or it failed: then the next change tries
    /// again.
    private func step() async -> Bool {
        guard let content, let watcher, !isStopped else {
            guard let old = shown.take() else { return false }
            await old.connection.close()
            return true
        }
        do {
            guard let present = shown else {
                shown = try await make(content)
                return true
            }
            if present.object.content != content {
                try present.object.update(content, on: present.connection)
                return true
            }
            guard present.watcher != watcher else { return false }
            try await register(present.connection)
            shown?.watcher = watcher
            return true
        } catch {
            report(DesktopError(.noTray, error))
            return false
        }
    }

    private func make(_ content: StatusItemContent) async throws -> Shown {
        let own = try await connect()
        let object = StatusItemObject(
            name, content, opening: { [weak self] in await self?.prepareMenu() }, choose: choose)
        own.export(StatusItemObject.path, interfaces: [StatusItemObject.item], handler: object)
        own.export(StatusItemObject.menuPath, interfaces: [StatusItemObject.menu], handler: object)
        if let owned { _ = try await own.requestName(owned) }
        return Shown(connection: own, object: object)
    }

    /// Returns when the menu has what it should have.
    private func prepareMenu() async {
        guard let opening else { return }
        await opening()
        await work?.value
    }

    private func register(_ own: Connection) async throws {
        let name = "org.kde.StatusNotifierItem-\(getpid())-1"
        if let name = BusName(name) { _ = try await own.requestName(name) }
        _ = try await own.call(
            destination: Self.watcherName, path: "/StatusNotifierWatcher",
            interface: "org.kde.StatusNotifierWatcher", member: "RegisterStatusNotifierItem", [.string(name)])
    }
}

/// What a tray shows.
public struct StatusItemContent: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// Above 0, unique in the menu.
        public var id: Int32
        public var label: String
        public var isEnabled: Bool

        public init(id: Int32, label: String, isEnabled: Bool) {
            self.id = id
            self.label = label
            self.isEnabled = isEnabled
        }
    }

    public var title: String
    /// Its name in the icon theme.
    public var icon: String
    public var entries: [Entry]

    public init(title: String, icon: String, entries: [Entry]) {
        self.title = title
        self.icon = icon
        self.entries = entries
    }
}
