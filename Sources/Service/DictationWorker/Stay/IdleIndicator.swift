import DBus
import Desktop
import DictationInterface
import EventLoop
import Localization
import Logging

/// The tray's item while nobody dictates, on desktops without the extension for GNOME: the last texts, if the user keeps any.
///
/// While there is a session the worker's ``DictationIndicator`` is there instead. The history is asked when that one leaves and
/// when the menu opens, so that no worker runs only for this.
@EventLoopActor
final class IdleIndicator {
    private let bus: BusAddress
    private let session: Connection
    private let history: DictationHistoryProxy
    private let logger: Logger
    private var item: StatusItem?
    private var texts: [LastText] = []
    private var isReplaced = false
    private lazy var reader = FactReader { [weak self] in
        await self?.lastTexts() ?? []
    } show: { [weak self] texts in
        self?.show(texts)
    }
    private var action: Task<Void, Never>?
    private let copier: TextCopier

    /// A tray shows the menu after this time, with the texts that it has.
    private static let timeout = Duration.seconds(5)

    /// - Parameters:
    ///   - bus: of the desktop session.
    ///   - session: the connection to it.
    ///   - service: the connection to the service's bus.
    init(bus: BusAddress, session: Connection, service: Connection, logger: Logger) {
        self.bus = bus
        self.session = session
        history = DictationHistoryProxy(connection: service, destination: DictationInterface.busName)
        self.logger = logger
        copier = TextCopier(session, logger: logger)
    }

    func start() async {
        do {
            try await session.listen(
                MatchRule(
                    sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged",
                    arguments: [0: DictationIndicator.busName.rawValue])
            ) { [weak self] change in
                self?.replace(change.body.last.flatMap { BusText($0) }.flatMap { BusName($0) } != nil)
            }
            isReplaced = try await session.owner(of: DictationIndicator.busName) != nil
        } catch {
            // The bus has ended, and with it this process.
            return
        }
        let item = StatusItem(
            "dictation", on: session, connect: { [bus] in try await Connection(to: bus) },
            trayChanged: { [weak self] in self?.reader.update() },
            opening: { [weak self] in
                self?.reader.update()
                await self?.reader.wait()
            },
            choose: { [weak self] in self?.choose($0) },
            report: { [logger] in logger.notice("\($0)") })
        self.item = item
        await item.start()
    }

    func stop() async {
        reader.end()
        action?.cancel()
        await item?.stop()
    }

    /// The worker's item has come or gone.
    private func replace(_ isReplaced: Bool) {
        self.isReplaced = isReplaced
        if isReplaced { item?.show(nil) }
        reader.update()
    }

    private func show(_ texts: [LastText]) {
        self.texts = texts
        item?.show(texts.isEmpty ? nil : Self.content(texts))
    }

    /// Empty if there is nothing to show.
    private func lastTexts() async -> [LastText] {
        guard item?.hasTray == true, !isReplaced, !(await ShellExtension.isOn(session)) else { return [] }
        do {
            return try await history.list(
                options: [HistoryOption.limit: Value(UInt32(LastText.limit))], timeout: Self.timeout
            ).entries.compactMap(LastText.init)
        } catch {
            // Such as a missing permission. The next dictation asks for it.
            logger.debug("no last texts for the tray", metadata: ["why": "\(error)"])
            return []
        }
    }

    private static func content(_ texts: [LastText]) -> StatusItemContent {
        StatusItemContent(
            title: translated("Dictation: the last texts"), icon: "document-open-recent",
            entries: LastText.entries(texts)
        )
    }

    private func choose(_ entry: Int32) {
        guard let text = LastText.chosen(entry, of: texts) else { return }
        action = Task { [previous = action] in
            await previous?.value
            guard !Task.isCancelled else { return }
            await copier.copy {
                // The list has the beginnings of long texts.
                HistoryDetails(try await history.get(id: text.id, timeout: Self.timeout)).text ?? text.text
            }
        }
    }
}
