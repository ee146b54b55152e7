import DBus
import Desktop
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Localization
import Logging

/// The tray's item on desktops without the extension for GNOME: there while the user has a session, with entries that control
/// it.
///
/// The item follows from the present facts, which are read again after every change of one of them.
@EventLoopActor
final class DictationIndicator {
    private let bus: BusAddress
    private let session: Connection
    private let service: DictationProxy
    private let logger: Logger
    private var item: StatusItem?
    /// As the service says.
    private var indication = DictationIndication()
    private lazy var reader = FactReader { [weak self] in
        await self?.facts()
    } show: { [weak self] facts in
        self?.show(facts)
    }
    /// The last texts of the history, the newest first.
    private var lastTexts: @EventLoopActor () -> [HistoryEntry] = { [] }
    /// The last action that the user has chosen. They are carried out one after the other.
    private var action: Task<Void, Never>?

    /// On the session's bus, while the item is there.
    nonisolated static let busName: BusName = "org.example.Dictation.Indicator"

    /// The texts that the menu offers.
    private var shownTexts: [LastText] = []
    private let copier: TextCopier

    /// What the menu offers.
    private enum Entry: Int32 {
        case state = 1
        case pause, resume, finish, undo
    }

    private struct Facts: Equatable {
        var indication: DictationIndication
        /// The session may be controlled by other programs.
        var isControllable: Bool
        var texts: [LastText]
    }

    /// - Parameters:
    ///   - bus: of the desktop session.
    ///   - session: the connection to it.
    ///   - service: the connection to the service's bus.
    init(bus: BusAddress, session: Connection, service: Connection, logger: Logger) {
        self.bus = bus
        self.session = session
        self.service = DictationProxy(connection: service, destination: DictationInterface.busName)
        self.logger = logger
        copier = TextCopier(session, logger: logger)
    }

    func start() async {
        let item = StatusItem(
            "dictation", owning: Self.busName, on: session,
            connect: { [bus] in try await Connection(to: bus) },
            trayChanged: { [weak self] in self?.reader.update() },
            choose: { [weak self] id in self?.choose(id) },
            report: { [logger] in logger.notice("\($0)") })
        self.item = item
        await item.start()
    }

    func stop() async {
        reader.end()
        action?.cancel()
        await item?.stop()
    }

    /// The state of dictation has changed.
    func follow(_ indication: DictationIndication) {
        guard indication != self.indication else { return }
        self.indication = indication
        reader.update()
    }

    /// Offers the last texts of the history.
    func show(_ texts: @escaping @EventLoopActor () -> [HistoryEntry]) { lastTexts = texts }

    /// The history has changed.
    func historyChanged() { reader.update() }

    // MARK: Facts

    private func show(_ facts: Facts?) {
        shownTexts = facts?.texts ?? []
        item?.show(facts.map(Self.content))
    }

    /// Nil if there is nothing to show.
    private func facts() async -> Facts? {
        let indication = indication
        guard item?.hasTray == true, indication.state != .idle, !(await ShellExtension.isOn(session)) else {
            return nil
        }
        do {
            let session = try await service.getSession()[SessionKey.state].flatMap { String($0) }
            return Facts(
                indication: indication,
                isControllable: session.map { $0 != SessionState.idle.rawValue } ?? false,
                texts: lastTexts().prefix(LastText.limit).map { LastText(id: $0.id, text: $0.text) })
        } catch {
            // The service has ended, or does not answer. The next state is another one.
            logger.info("the state of dictation is not known", metadata: ["why": "\(error)"])
            return nil
        }
    }

    private static func content(_ facts: Facts) -> StatusItemContent {
        let title =
            switch facts.indication.state {
            case .paused: translated("Dictation is paused")
            case .interrupted: translated("Dictation is interrupted")
            default:
                facts.indication.isInUse
                    ? translated("Dictation listens") : translated("Dictation begins to listen")
            }
        let icon = facts.indication.isInUse ? "audio-input-microphone" : "media-playback-pause"
        let isPaused = facts.indication.state == .paused
        let canControl = facts.indication.isTyping || facts.isControllable
        return StatusItemContent(
            title: title, icon: icon,
            entries: [
                .init(id: Entry.state.rawValue, label: title, isEnabled: false),
                isPaused
                    ? .init(id: Entry.resume.rawValue, label: translated("Resume"), isEnabled: canControl)
                    : .init(id: Entry.pause.rawValue, label: translated("Pause"), isEnabled: canControl),
                .init(
                    id: Entry.finish.rawValue,
                    label: canControl ? translated("Stop") : translated("Stop all dictation"),
                    isEnabled: true),
                .init(
                    id: Entry.undo.rawValue, label: translated("Take back the last text"),
                    isEnabled: facts.indication.isTyping),
            ] + LastText.entries(facts.texts))
    }

    // MARK: Actions

    private func choose(_ id: Int32) {
        // The menu shows what the history had when it was made.
        let text = LastText.chosen(id, of: shownTexts)
        let entry = Entry(rawValue: id)
        guard text != nil || entry != nil else { return }
        action = Task { [previous = action] in
            await previous?.value
            guard !Task.isCancelled else { return }
            do {
                if let text {
                    await copier.copy { text.text }
                } else if let entry {
                    try await perform(entry)
                }
            } catch {
                logger.notice("the tray's menu: \(error)")
            }
            reader.update()
        }
    }

    /// On the dictation into windows, else on the user's lingering session.
    private func perform(_ entry: Entry) async throws {
        let typing = DictationTypingProxy(
            connection: service.connection, destination: DictationInterface.busName)
        switch entry {
        case .state: break
        case .pause:
            try await onTyping({ try await typing.pause() }, else: { try await service.pause() })
        case .resume:
            try await onTyping({ try await typing.resume() }, else: { try await resume() })
        case .finish: try await onTyping({ try await typing.finish() }, else: { try await finish() })
        case .undo: try await typing.undo()
        }
    }

    private func onTyping(_ typing: () async throws -> Void, else other: () async throws -> Void) async throws
    {
        do {
            try await typing()
        } catch let error as DBusError where error.name == DictationInterface.errorName(.notRunning) {
            try await other()
        }
    }

    private func resume() async throws {
        do {
            try await service.resume()
        } catch let error as DBusError where error.name == DictationInterface.errorName(.permissionRequired) {
            _ = try await service.requestPermission(
                resources: [BusText(Resource.microphone.rawValue), BusText(Resource.speech.rawValue)],
                options: [:],
                timeout: DictationInterface.permissionTimeout)
            try await service.resume()
        }
    }

    /// The text of a lingering session is committed. Without the permission for that, the session is paused, and its text waits.
    /// Sessions of other programs are ended as the service allows it.
    private func finish() async throws {
        do {
            _ = try await service.commit(timeout: DictationInterface.commitTimeout)
            try await service.stop(timeout: DictationInterface.commitTimeout)
        } catch let error as DBusError where error.name == DictationInterface.errorName(.notRunning) {
            _ = try await service.stopAll(options: [:])
        } catch let error as DBusError where error.name == DictationInterface.errorName(.permissionRequired) {
            try await service.pause()
        }
    }

}

/// What the desktop's indicator shows.
struct DictationIndication: Hashable, Sendable {
    /// Of the session of the user that asked for the microphone last.
    var state: SessionState
    /// A capture stream exists.
    var isInUse: Bool
    /// A session types into windows.
    var isTyping = false

    init(state: SessionState = .idle, isInUse: Bool = false) {
        self.state = state
        self.isInUse = isInUse
    }
}
