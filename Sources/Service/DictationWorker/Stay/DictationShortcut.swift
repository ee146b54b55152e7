import DBus
import Desktop
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// The global shortcut for dictation: a tap starts or finishes dictation, and holding the key is push-to-talk. Its effect is
/// that of `dictation-cli toggle --type`; without windows, that of `dictation-cli toggle`.
@EventLoopActor
final class DictationShortcut {
    private let service: DictationProxy
    private let typing: TypingProgram?
    private let logger: Logger
    private var shortcut: GlobalShortcut?
    private var machine = ShortcutMachine()
    private let epoch = SuspendingClock.now
    private var deadline: EventLoop.Timer?
    /// The pending actions, carried out one at a time.
    private var waiting: [ShortcutMachine.Effect] = []
    private var work: Task<Void, Never>?
    /// Whether the latest press started or resumed dictation.
    private var pressBegan = false

    /// Maximum number of pending actions. Further presses are ignored.
    private static let waitingLimit = 8
    /// How long ``stop()`` waits for an action in progress, such as a question to the user.
    private static let stopTimeout = Duration.seconds(2)

    /// - Parameters:
    ///   - trigger: see ``StayingWorker/isTrigger(_:)``.
    ///   - session: the bus of the desktop session.
    ///   - service: the connection to the service's bus.
    ///   - environment: of the desktop session.
    init(
        _ trigger: String, session: Connection, service: Connection, environment: [String: String],
        logger: Logger
    ) {
        self.service = DictationProxy(connection: service, destination: DictationInterface.busName)
        typing = TypingProgram(session: session, environment: environment, logger: logger)
        self.logger = logger
        shortcut = GlobalShortcut(
            id: "dictate", description: "Dictate: tap to start and finish, or hold to talk", trigger: trigger,
            applicationID: "org.example.Dictation", on: session,
            tell: { [weak self] in self?.handle($0) },
            report: { logger.warning("no shortcut", metadata: ["why": "\($0)"]) })
    }

    func start() {
        shortcut?.start()
    }

    /// Ends the shortcut. Finishes a dictation that a hold started.
    func stop() async {
        await shortcut?.stop()
        feed(.unbound)
        let timeout = EventLoopActor.schedule(after: Self.stopTimeout) { [work] in work?.cancel() }
        await work?.value
        timeout.cancel()
    }

    private func handle(_ event: GlobalShortcut.Event) {
        switch event {
        case .bound(let trigger): logger.info("the shortcut is bound", metadata: ["key": "\(trigger)"])
        case .activated: feed(.activated)
        case .deactivated: feed(.deactivated)
        case .unbound: feed(.unbound)
        }
    }

    private func feed(_ event: ShortcutMachine.Event) {
        let before = machine.deadline
        for effect in machine.handle(event, at: SuspendingClock.now - epoch) { enqueue(effect) }
        guard machine.deadline != before || event == .timeout else { return }
        deadline?.cancel()
        deadline = machine.deadline.map { due in
            EventLoopActor.schedule(after: due - (SuspendingClock.now - epoch)) { [weak self] in
                self?.feed(.timeout)
            }
        }
    }

    // MARK: The service

    private func enqueue(_ effect: ShortcutMachine.Effect) {
        let fits = effect == .toggle ? waiting.count < Self.waitingLimit : waiting.last != .finish
        guard fits else { return }
        waiting.append(effect)
        guard work == nil else { return }
        work = Task {
            while !waiting.isEmpty { await perform(waiting.removeFirst()) }
            work = nil
        }
    }

    private func perform(_ effect: ShortcutMachine.Effect) async {
        do {
            switch effect {
            case .toggle:
                pressBegan = false
                if let typing {
                    pressBegan = try await typing.toggle()
                } else {
                    try await toggle()
                }
            case .finish:
                if pressBegan, let typing {
                    try await typing.finish()
                } else if pressBegan {
                    try await finish()
                }
                pressBegan = false
            }
        } catch {
            logger.error("the shortcut failed", metadata: ["why": "\(error)"])
        }
    }

    private func toggle() async throws {
        let session = try await service.getSession()
        let state = session[SessionKey.state].flatMap { String($0) } ?? SessionState.idle.rawValue
        switch ToggleStep(inState: state) {
        case .start:
            guard try await mayDictate() else { return }
            do {
                _ = try await service.start(options: [StartOption.linger: .bool(true)])
                pressBegan = true
            } catch let error as DBusError
                where error.name == DictationInterface.errorName(.alreadyRunning)
            {
                try await finish()
            }
        case .resume:
            guard try await mayDictate() else { return }
            try await service.resume()
            pressBegan = true
        case .finish:
            try await finish()
        }
    }

    /// Whether the shortcut may dictate. Asks the user if there is no decision. False also if the hold has ended
    /// meanwhile.
    private func mayDictate() async throws -> Bool {
        let permission = try await service.checkPermission()
        guard permission.status.values.contains(PermissionStatus.notDetermined.rawValue) else { return true }
        _ = try await service.requestPermission(
            resources: [BusText(Resource.microphone.rawValue), BusText(Resource.speech.rawValue)],
            options: [:], timeout: DictationInterface.permissionTimeout)
        return waiting.first != .finish
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
