import DBus
import DictationClient
import DictationInterface
import DictationTyping
import EventLoop
import Glibc
import Typing
import TypingRoutes

/// Types for other programs, see `dbus/org.example.Dictation.Typing.xml`. One of them types at a time, because there is one
/// input method. The user's own dictation takes its place.
@EventLoopActor
final class FieldService: ObjectHandler {
    private let connection: Connection
    private let callers: CallerIdentity
    private let permission: TypingPermission
    private let choice: RouteChoice
    private var lease: FieldLease?
    private var turn: TypingTurn?
    private var lastNumber: UInt64 = 0
    /// A route is being opened.
    private var isBeginning = false
    /// The route of the last lease is being closed.
    private var closing: Task<Void, Never>?
    /// Calls of RequestPermission and BeginField that have no reply yet.
    private var pending: [BusName: Int] = [:]
    private var idleTimer: EventLoop.Timer?
    private var isEnding = false
    private let endWaiter = ChangeWaiter()

    /// Maximum number of pending calls, of one connection and of all.
    private static let pendingLimits = (each: 2, all: 16)
    /// How long the service waits for calls.
    private static let idleTime = Duration.seconds(30)

    private init(_ connection: Connection, _ busOptions: BusOptions, _ choice: RouteChoice) throws {
        self.connection = connection
        self.choice = choice
        callers = try CallerIdentity(connection)
        permission = TypingPermission(callers, busOptions)
    }

    /// Serves until nobody has called for a while, a signal comes, or another program takes the name.
    /// - Throws: ``TypingTurnTaken`` if another program has the name.
    static func run(_ busOptions: BusOptions) async throws {
        let connection = try await Connection(to: .session)
        let service = try FieldService(connection, busOptions, .current)
        let signals = try Signals([SIGINT, SIGTERM, SIGHUP], on: EventLoopActor.loop) { _ in
            EventLoopActor.execute { [weak service] in service?.end() }
        }
        defer { withExtendedLifetime(signals) {} }
        try await connection.onVanished { [weak service] in service?.forget($0) }
        connection.export(
            DictationTypingInterface.path,
            interfaces: [DictationTypingInterface.description, DictationTypingControlInterface.description],
            handler: service)
        let lost = try await connection.lostNames()
        let reply = try await connection.requestName(TypingControl.name, [.doNotQueue, .allowReplacement])
        guard reply == .primaryOwner else {
            await connection.close()
            throw TypingTurnTaken(owner: nil)
        }
        Task { [weak service] in
            // The user dictates into windows, or the bus is gone.
            for await name in lost where name == TypingControl.name { service?.yield() }
            service?.end()
        }
        service.waitForCalls()
        await service.waitForEnd()
        await connection.flush()
        await connection.close()
    }

    // MARK: Calls

    nonisolated func handle(_ call: MethodCall) {
        EventLoopActor.execute { [self] in receive(call) }
    }

    private func receive(_ call: MethodCall) {
        guard call.interface == DictationTypingInterface.name else {
            return call.fail(
                DBusError(
                    DictationInterface.errorName(.notRunning),
                    "Nothing types into windows now. “dictation-cli type” does."))
        }
        callers.enter(call.sender)
        do throws(DBusError) {
            let request = try DictationTypingRequest(call)
            switch request {
            case .requestPermission:
                try answer(call) { [self] in
                    .requestPermission(status: try await permission.request(for: call.sender).rawValue)
                }
            case .beginField(let options):
                let options = try FieldOptions(options)
                try answer(call) { [self] in
                    let lease = try await begin(options, for: call.sender)
                    return .beginField(field: lease.number, details: lease.details)
                }
            case .show(let field, _), .insert(let field, _), .replaceLast(let field, _), .release(let field):
                guard let lease, lease.number == field, lease.owner == call.sender else {
                    throw FieldLease.notRunning
                }
                lease.perform(request, call)
            }
        } catch {
            call.fail(error)
        }
    }

    private func answer(
        _ call: MethodCall, _ body: @escaping @EventLoopActor () async throws -> DictationTypingReply
    ) throws(DBusError) {
        guard !isEnding else {
            throw DBusError(DictationInterface.errorName(.cancelled), "The typing service ends. Call again.")
        }
        guard pending[call.sender, default: 0] < Self.pendingLimits.each,
            pending.values.reduce(0, +) < Self.pendingLimits.all
        else { throw Self.busy("Too many calls wait. Wait for their replies first.") }
        pending[call.sender, default: 0] += 1
        idleTimer?.cancel()
        Task.immediate {
            do {
                call.reply(try await body().body)
            } catch {
                call.fail(DBusError(typing: error))
            }
            let rest = pending[call.sender, default: 1] - 1
            pending[call.sender] = rest > 0 ? rest : nil
            waitForCalls()
        }
    }

    // MARK: The field

    private func begin(_ options: FieldOptions, for caller: BusName) async throws -> FieldLease {
        try await permission.require(for: caller)
        guard !isBeginning else { throw Self.busy("Another program begins to type just now. Try again.") }
        isBeginning = true
        defer { isBeginning = false }
        if let lease {
            guard lease.owner == caller || !lease.driver.isInOwnField else {
                throw Self.busy("Another program types into this field.")
            }
            release(lease, lease.owner == caller ? nil : .replaced)
        }
        await closing?.value
        do {
            turn = try TypingTurn(environment: choice.environment)
        } catch {
            throw Self.busy("\(error)")
        }
        let driver = TypingDriver(routes: choice.routes(), style: options.style) { [weak self] report in
            if case .lost = report { self?.routeIsLost() }
        }
        do {
            try await open(driver)
            guard callers.present.contains(caller), !isEnding else {
                throw DBusError(
                    DictationInterface.errorName(.cancelled), "The caller has left, or the service ends.")
            }
        } catch {
            close(driver)
            await closing?.value
            throw error
        }
        driver.beginField()
        lastNumber += 1
        let lease = FieldLease(lastNumber, of: caller, driver, options, permission: permission) {
            [weak self] reason in
            if let self, let lease = self.lease { release(lease, reason) }
        }
        self.lease = lease
        return lease
    }

    private func open(_ driver: TypingDriver) async throws(DBusError) {
        guard choice.isGraphical else {
            throw DBusError(
                .notSupported,
                "The typing service does not know a display. In the start-up of your desktop run "
                    + "“dbus-update-activation-environment --systemd WAYLAND_DISPLAY DISPLAY XDG_CURRENT_DESKTOP”."
            )
        }
        do throws(RouteFailures) {
            _ = try await driver.open()
        } catch {
            throw DBusError(
                .notSupported, "\(error)\nRun “dictation-cli doctor” to see what is missing.")
        }
        guard let field = driver.field else {
            throw DBusError(
                DictationInterface.errorName(.noField), "No text field has the focus. \(choice.fieldRemedy)")
        }
        guard !field.isSecret else {
            throw DBusError(
                DictationInterface.errorName(.secretField),
                "A password field has the focus. Nothing types there.")
        }
        await driver.waitForText(within: .milliseconds(200))
    }

    private static func busy(_ message: String) -> DBusError {
        DBusError(DictationInterface.errorName(.limitExceeded), message)
    }

    // MARK: The end of a lease

    /// - Parameter reason: for its owner; nil if that has released it itself.
    private func release(_ lease: FieldLease, _ reason: FieldReleaseReason?) {
        guard self.lease === lease else { return }
        self.lease = nil
        lease.close()
        if let reason, callers.present.contains(lease.owner) {
            let signal = DictationTypingSignal.released(
                field: lease.number, reason: reason.rawValue, details: [:])
            // Fails if the bus is closing: then the owner knows.
            try? connection.emit(
                path: DictationTypingInterface.path, interface: DictationTypingInterface.name,
                member: signal.member, signal.body, to: lease.owner)
        }
        close(lease.driver)
    }

    /// Restores the user's input method. The next program can begin afterwards.
    private func close(_ driver: TypingDriver) {
        closing = Task { [previous = closing] in
            await previous?.value
            _ = await driver.close()
            turn = nil
            waitForCalls()
        }
    }

    private func routeIsLost() {
        if let lease { release(lease, .routeLost) }
    }

    private func forget(_ name: BusName) {
        callers.forget(name)
        permission.forget(name)
        if let lease, lease.owner == name { release(lease, nil) }
    }

    // MARK: The end of the service

    /// Another program of this user has taken the name.
    private func yield() {
        if let lease { release(lease, .userDictates) }
        end()
    }

    private func end() {
        guard !isEnding else { return }
        isEnding = true
        if let lease { release(lease, .shutdown) }
        endWaiter.resume()
    }

    private func waitForEnd() async {
        while !isEnding { _ = await endWaiter.wait(within: .seconds(3600)) { isEnding } }
        await closing?.value
    }

    private var isIdle: Bool { lease == nil && !isBeginning && pending.isEmpty }

    private func waitForCalls() {
        idleTimer?.cancel()
        guard isIdle, !isEnding else { return }
        idleTimer = EventLoopActor.schedule(after: Self.idleTime) { [weak self] in
            Task { await self?.endIfIdle() }
        }
    }

    /// The bus answers after all calls to the name: none is lost.
    private func endIfIdle() async {
        guard isIdle, !isEnding else { return }
        do {
            try await connection.releaseName(TypingControl.name)
            if isIdle { return end() }
            let reply = try await connection.requestName(
                TypingControl.name, [.doNotQueue, .allowReplacement])
            // The new owner has been started for the callers after these.
            if reply != .primaryOwner { waitForCalls() }
        } catch {
            end()
        }
    }
}
