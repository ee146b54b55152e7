import DBus
import Desktop
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
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
    private var hasEnded = false
    private var reading: Task<Void, Never>?
    private var mustReadAgain = false
    /// The last action that the user has chosen. They are carried out one after the other.
    private var action: Task<Void, Never>?

    private static let typingName: BusName = "org.example.Dictation.Typing"
    private static let shell: BusName = "org.gnome.Shell.Extensions"
    private static let gnomeExtension = "dictation@dictation.example.org"

    /// What the menu offers.
    private enum Entry: Int32 {
        case state = 1
        case pause, resume, finish, undo
    }

    private struct Facts: Equatable {
        var indication: DictationIndication
        /// There is a program that types, which takes commands of others.
        var isTyping: Bool
        /// The session may be controlled by other programs.
        var isControllable: Bool
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
    }

    func start() async {
        let item = StatusItem(
            "dictation", on: session, connect: { [bus] in try await Connection(to: bus) },
            trayChanged: { [weak self] in self?.read() }, choose: { [weak self] id in self?.choose(id) },
            report: { [logger] in logger.notice("\($0)") })
        self.item = item
        await item.start()
        do {
            try await session.listen(
                MatchRule(
                    sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged",
                    arguments: [0: Self.typingName.rawValue])
            ) { [weak self] _ in self?.read() }
        } catch {
            logger.notice("the tray does not show dictation", metadata: ["why": "\(error)"])
        }
    }

    func stop() async {
        hasEnded = true
        reading?.cancel()
        action?.cancel()
        await item?.stop()
    }

    /// The state of dictation has changed.
    func follow(_ indication: DictationIndication) {
        guard indication != self.indication else { return }
        self.indication = indication
        read()
    }

    // MARK: Facts

    private func read() {
        mustReadAgain = true
        guard reading == nil, !hasEnded else { return }
        reading = Task {
            while mustReadAgain {
                mustReadAgain = false
                let content = await facts().map(Self.content)
                if !mustReadAgain { item?.show(content) }
            }
            reading = nil
        }
    }

    /// Nil if there is nothing to show.
    private func facts() async -> Facts? {
        let indication = indication
        guard item?.hasTray == true, indication.state != .idle, !(await hasExtension()) else { return nil }
        do {
            let session = try await service.getSession()[SessionKey.state].flatMap { String($0) }
            return Facts(
                indication: indication,
                isTyping: try await self.session.owner(of: Self.typingName) != nil,
                isControllable: session.map { $0 != SessionState.idle.rawValue } ?? false)
        } catch {
            // The service has ended, or does not answer. The next state is another one.
            logger.info("the state of dictation is not known", metadata: ["why": "\(error)"])
            return nil
        }
    }

    /// Whether the extension for GNOME is active, which has an indicator of its own.
    private func hasExtension() async -> Bool {
        do {
            guard try await session.owner(of: Self.shell) != nil else { return false }
            let reply = try await session.call(
                destination: Self.shell, path: "/org/gnome/Shell/Extensions",
                interface: "org.gnome.Shell.Extensions",
                member: "GetExtensionInfo", [.string(Self.gnomeExtension)], timeout: .seconds(2))
            let details = try reply.decoded(as: [BusText: Value].self)
            return details["state"].flatMap { Double($0) } == 1
        } catch {
            return false
        }
    }

    private static func content(_ facts: Facts) -> StatusItemContent {
        let title =
            switch facts.indication.state {
            case .paused: "Dictation is paused"
            case .interrupted: "Dictation is interrupted"
            default: facts.indication.isInUse ? "Dictation listens" : "Dictation begins to listen"
            }
        let icon = facts.indication.isInUse ? "audio-input-microphone" : "media-playback-pause"
        let isPaused = facts.indication.state == .paused
        let canControl = facts.isTyping || facts.isControllable
        return StatusItemContent(
            title: title, icon: icon,
            entries: [
                .init(id: Entry.state.rawValue, label: title, isEnabled: false),
                isPaused
                    ? .init(id: Entry.resume.rawValue, label: "Resume", isEnabled: canControl)
                    : .init(id: Entry.pause.rawValue, label: "Pause", isEnabled: canControl),
                .init(
                    id: Entry.finish.rawValue, label: canControl ? "Stop" : "Stop all dictation",
                    isEnabled: true),
                .init(id: Entry.undo.rawValue, label: "Take back the last text", isEnabled: facts.isTyping),
            ])
    }

    // MARK: Actions

    private func choose(_ id: Int32) {
        guard let entry = Entry(rawValue: id) else { return }
        action = Task { [previous = action] in
            await previous?.value
            guard !Task.isCancelled else { return }
            do {
                try await perform(entry)
            } catch {
                logger.notice("the tray's menu: \(error)")
            }
            read()
        }
    }

    /// On the program that types, else on the user's lingering session.
    private func perform(_ entry: Entry) async throws {
        let typing = DictationTypingControlProxy(connection: session, destination: Self.typingName)
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
        guard try await session.owner(of: Self.typingName) != nil else { return try await other() }
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

    /// The text of a lingering session is committed. Sessions of other programs are ended as the service allows it.
    private func finish() async throws {
        do {
            _ = try await service.commit(timeout: DictationInterface.commitTimeout)
            try await service.stop(timeout: DictationInterface.commitTimeout)
        } catch let error as DBusError where error.name == DictationInterface.errorName(.notRunning) {
            _ = try await service.stopAll(options: [:])
        }
    }
}

/// What the desktop's indicator shows.
struct DictationIndication: Hashable, Sendable {
    /// Of the session of the user that asked for the microphone last.
    var state: SessionState
    /// A capture stream exists.
    var isInUse: Bool

    init(state: SessionState = .idle, isInUse: Bool = false) {
        self.state = state
        self.isInUse = isInUse
    }
}
