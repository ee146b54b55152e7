import DBus
import Desktop
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// The global shortcuts for dictation: a tap starts or finishes dictation, and holding the key is push-to-talk. The effect is
/// that of `dictation-cli toggle --type`; without windows, that of `dictation-cli toggle`. A key of a language starts in that
/// language, and finishes whatever runs.
@EventLoopActor
final class DictationShortcuts {
    private let service: DictationProxy
    private let typing: DictationTypingProxy?
    /// The display of the desktop session, for the options of Toggle.
    private let display: [BusText: String]
    private let logger: Logger
    private let wishes: ShortcutWishes
    private let status: ShortcutStatus
    private var shortcuts: GlobalShortcuts?
    /// One for each key, by the shortcut's id.
    private var machines: [String: ShortcutMachine] = [:]
    private let epoch = SuspendingClock.now
    private var deadlines: [String: EventLoop.Timer] = [:]
    /// The pending actions, carried out one at a time.
    private var waiting: [Action] = []
    private var work: Task<Void, Never>?
    /// The shortcut whose press started or resumed dictation, if the latest press did.
    private var beganBy: String?

    private struct Action: Hashable {
        var id: String
        var effect: ShortcutMachine.Effect
    }

    /// Maximum number of pending actions. Further presses are ignored.
    private static let waitingLimit = 8
    /// How long ``stop()`` waits for an action in progress, such as a question to the user.
    private static let stopTimeout = Duration.seconds(2)

    /// - Parameters:
    ///   - status: is kept up to date.
    ///   - session: the bus of the desktop session.
    ///   - service: the connection to the service's bus.
    ///   - environment: of the desktop session.
    init(
        _ wishes: ShortcutWishes, status: ShortcutStatus, session: Connection, service: Connection,
        environment: [String: String], logger: Logger
    ) {
        self.wishes = wishes
        self.status = status
        self.service = DictationProxy(connection: service, destination: DictationInterface.busName)
        display = TypingRequest.display(in: environment)
        typing =
            RouteChoice(environment: environment).isGraphical
            ? DictationTypingProxy(connection: service, destination: DictationInterface.busName) : nil
        self.logger = logger
        shortcuts = GlobalShortcuts(
            wishes.all, applicationID: "org.example.Dictation", on: session,
            handler: { [weak self] in self?.handle($0) },
            report: { error in
                status.failure = "\(error)"
                logger.warning("no shortcut", metadata: ["why": "\(error)"])
            })
    }

    func start() {
        shortcuts?.start()
    }

    /// Ends the shortcuts. Finishes a dictation that a hold started.
    func stop() async {
        await shortcuts?.stop()
        unbind()
        let timeout = EventLoopActor.schedule(after: Self.stopTimeout) { [work] in work?.cancel() }
        await work?.value
        timeout.cancel()
    }

    private func handle(_ event: GlobalShortcuts.Event) {
        switch event {
        case .bound(let triggers):
            status.bound = triggers
            for wish in wishes.all {
                if let trigger = triggers[wish.id] {
                    logger.info(
                        "the shortcut is bound", metadata: ["key": "\(trigger)", "shortcut": "\(wish.id)"])
                } else {
                    logger.warning("the desktop did not bind it", metadata: ["shortcut": "\(wish.id)"])
                }
            }
        case .activated(let id): feed(.activated, id)
        case .deactivated(let id): feed(.deactivated, id)
        case .unbound: unbind()
        }
    }

    private func unbind() {
        status.bound = [:]
        for id in machines.keys.sorted() { feed(.unbound, id) }
    }

    private func feed(_ event: ShortcutMachine.Event, _ id: String) {
        var machine = machines[id] ?? ShortcutMachine()
        let before = machine.deadline
        for effect in machine.handle(event, at: SuspendingClock.now - epoch) {
            enqueue(Action(id: id, effect: effect))
        }
        machines[id] = machine
        guard machine.deadline != before || event == .timeout else { return }
        deadlines[id]?.cancel()
        deadlines[id] = machine.deadline.map { due in
            EventLoopActor.schedule(after: due - (SuspendingClock.now - epoch)) { [weak self] in
                self?.feed(.timeout, id)
            }
        }
    }

    // MARK: The service

    private func enqueue(_ action: Action) {
        let fits = action.effect == .toggle ? waiting.count < Self.waitingLimit : waiting.last != action
        guard fits else { return }
        waiting.append(action)
        guard work == nil else { return }
        work = Task {
            while !waiting.isEmpty { await perform(waiting.removeFirst()) }
            work = nil
        }
    }

    private func perform(_ action: Action) async {
        do {
            switch action.effect {
            case .toggle:
                beganBy = nil
                if let typing {
                    try await toggle(typing, action.id)
                } else {
                    try await toggle(action.id)
                }
            case .finish:
                guard beganBy == action.id else { return }
                beganBy = nil
                if let typing {
                    try await typing.finish()
                } else {
                    try await finish()
                }
            }
        } catch {
            logger.error("the shortcut failed", metadata: ["why": "\(error)"])
        }
    }

    private func options(_ id: String, _ options: [BusText: Value]) -> [BusText: Value] {
        var options = options
        options[StartOption.language] = wishes.language(of: id).map { Value(BusText($0)) }
        return options
    }

    private func toggle(_ typing: DictationTypingProxy, _ id: String) async throws {
        do {
            // Most presses that end one are not asked about.
            try await typing.finish()
        } catch let error as DBusError where error.name == DictationInterface.errorName(.notRunning) {
            guard try await mayDictate(id) else { return }
            let began = try await typing.toggle(options: options(id, [StartOption.display: Value(display)]))
            beganBy = began ? id : nil
        }
    }

    private func toggle(_ id: String) async throws {
        let session = try await service.getSession()
        let state = session[SessionKey.state].flatMap { String($0) } ?? SessionState.idle.rawValue
        switch ToggleStep(inState: state) {
        case .start:
            guard try await mayDictate(id) else { return }
            do {
                _ = try await service.start(options: options(id, [StartOption.linger: .bool(true)]))
                beganBy = id
            } catch let error as DBusError
                where error.name == DictationInterface.errorName(.alreadyRunning)
            {
                try await finish()
            }
        case .resume:
            guard try await mayDictate(id) else { return }
            try await service.resume()
            beganBy = id
        case .finish:
            try await finish()
        }
    }

    /// Whether the shortcut may dictate. Asks the user if there is no decision. False also if the hold has ended
    /// meanwhile.
    private func mayDictate(_ id: String) async throws -> Bool {
        let permission = try await service.checkPermission()
        guard permission.status.values.contains(PermissionStatus.notDetermined.rawValue) else { return true }
        _ = try await service.requestPermission(
            resources: [BusText(Resource.microphone.rawValue), BusText(Resource.speech.rawValue)],
            options: [:], timeout: DictationInterface.permissionTimeout)
        return waiting.first != Action(id: id, effect: .finish)
    }

    /// Closes the microphone. The text is sent to subscribers later, and can be read with GetSession.
    private func finish() async throws {
        try await service.pause()
        _ = Task.immediate {
            do {
                _ = try await service.commit(timeout: DictationInterface.commitTimeout)
            } catch {
                logger.error("no text", metadata: ["why": "\(error)"])
            }
        }
    }
}
