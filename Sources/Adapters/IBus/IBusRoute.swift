internal import DBus
public import EventLoop
import Glibc
public import Typing
public import TypingRoutes

/// Types through IBus. While it is open, it is IBus's global engine.
///
/// Uses the D-Bus protocol of IBus 1.5.27 and later, without its library. Restores the previous global engine at the end,
/// unless the user has chosen another meanwhile.
@EventLoopActor
public final class IBusRoute: TypingRoute {
    public nonisolated let name = "IBus"
    private let environment: [String: String]
    private let restorer: [String]
    private let trustsEveryField: Bool
    private let pressKey: @EventLoopActor () async -> Void
    private var isPressingKey = false
    private var needsKeyPress = false
    private var connection: Connection?
    private var engine: IBusEngine?
    private var handler: (@EventLoopActor (RouteEvent) -> Void)?
    /// The user's global engine; nil if there is none.
    private var previousEngine: String?
    private var engineGuard: EngineGuard?
    /// When this engine became the global one.
    private var takeovers: [ContinuousClock.Instant] = []
    private var isShowing = false
    private var isTakingOver = false
    /// IBus reported a focus without naming the field.
    private var hasUnnamedFocus = false
    private var hasAskedForNames = false

    private static let callTimeout: Duration = .seconds(5)
    /// How often the engine may be replaced in a minute. IBus destroys engines at changes of layout and at password fields;
    /// beyond this number another program is competing for the global engine.
    private static let takeoversPerMinute = 30

    /// - Parameters:
    ///   - environment: the variables of this process, such as `IBUS_ADDRESS` and `DISPLAY`.
    ///   - restorer: a program and its first arguments, to which an engine and a name on the bus of IBus are added. It
    ///     calls ``restore(_:after:environment:)`` with them when its standard input ends, which means that this process
    ///     was killed. Empty for none.
    ///   - trustsEveryField: type also where IBus does not report whether a field is for passwords.
    ///   - pressKey: presses and releases a key that types nothing, in the window with the focus. Qt does not report password
    ///     fields to IBus, but does not pass their keys to it either. Without this the user has to press a key.
    public init(
        environment: [String: String], restorer: [String] = [], trustsEveryField: Bool = false,
        pressKey: @escaping @EventLoopActor () async -> Void = {}
    ) {
        self.environment = environment
        self.restorer = restorer
        self.trustsEveryField = trustsEveryField
        self.pressKey = pressKey
    }

    /// Checks whether IBus is running.
    public static func check(environment: [String: String]) async throws(RouteError) {
        let connection = try await connect(environment)
        await connection.close(within: .seconds(1))
    }

    public func open(_ handler: @escaping @EventLoopActor (RouteEvent) -> Void) async throws(RouteError) {
        let connection = try await Self.connect(environment)
        let engine = IBusEngine(connection: connection, trustsEveryField: trustsEveryField) { [weak self] in
            self?.handle($0)
        }
        self.handler = handler
        self.connection = connection
        self.engine = engine
        hasUnnamedFocus = false
        hasAskedForNames = false
        isShowing = false
        do {
            try await engine.register()
            try await takeOver()
        } catch {
            await close()
            throw RouteError("IBus refuses the dictation engine: \(Self.message(of: error)).")
        }
        watch(connection)
    }

    private static func connect(_ environment: [String: String]) async throws(RouteError) -> Connection {
        let found = await Task.detached { () -> Result<String, RouteError> in
            Result { () throws(RouteError) in try IBusAddress(environment: environment).find() }
        }.value
        let address = try found.get()
        do {
            return try await Connection(to: .custom(address))
        } catch {
            throw RouteError("IBus does not answer: \(message(of: error)).", remedy: "Run: ibus restart")
        }
    }

    private static func message(of error: any Error) -> String {
        (error as? DBusError)?.message ?? "\(error)"
    }

    private func watch(_ connection: Connection) {
        Task { [weak self] in
            await connection.disconnected()
            self?.lose(RouteError("IBus has ended.", remedy: "Run: ibus restart"))
        }
    }

    private func lose(_ error: RouteError) {
        handler?(.lost(error))
        handler = nil
    }

    // MARK: The global engine

    /// Becomes the global engine, and remembers the previous one.
    private func takeOver() async throws {
        isTakingOver = true
        defer { isTakingOver = false }
        let now = ContinuousClock.now
        takeovers.removeAll { now - $0 > .seconds(60) }
        takeovers.append(now)
        if takeovers.count > Self.takeoversPerMinute {
            throw DBusError.failed("another program changes the input method again and again")
        }
        let current = try await globalEngine()
        if let current, !IBusDescription.engineNames.contains(current) { remember(current) }
        if current != IBusDescription.engineName { try await setGlobalEngine(IBusDescription.engineName) }
        while hasUnnamedFocus {
            if hasAskedForNames {
                throw DBusError.failed("it is older than 1.5.27 and does not name text fields")
            }
            hasAskedForNames = true
            hasUnnamedFocus = false
            try await setGlobalEngine(IBusDescription.idleEngineName)
            try await setGlobalEngine(IBusDescription.engineName)
        }
    }

    private func remember(_ engine: String) {
        previousEngine = engine
        guard !restorer.isEmpty, engineGuard?.engine != engine, let name = connection?.uniqueName else {
            return
        }
        // Needed only if this process is killed.
        engineGuard = try? EngineGuard(
            restoring: engine, by: restorer + [engine, name.rawValue], environment: environment)
    }

    /// The name of the global engine; nil if there is none.
    private func globalEngine() async throws -> String? {
        guard let connection else { throw DBusError.disconnected("not connected to IBus") }
        do {
            let value = try await connection.call(
                destination: IBusInterface.name, path: IBusInterface.path, interface: .properties,
                member: "Get",
                [.string(IBusInterface.bus.rawValue), .string("GlobalEngine")], timeout: Self.callTimeout
            ).decoded(as: Value.self)
            // The description is a variant within the variant.
            let description: Value = if case .variant(let inner) = value { inner } else { value }
            return IBusDescription.name(of: description)
        } catch let error as DBusError where error.name == .failed {
            return nil
        }
    }

    private func setGlobalEngine(_ name: String) async throws {
        guard let connection else { throw DBusError.disconnected("not connected to IBus") }
        _ = try await connection.call(
            destination: IBusInterface.name, path: IBusInterface.path, interface: IBusInterface.bus,
            member: "SetGlobalEngine", [.string(name)], timeout: Self.callTimeout)
    }

    private func handle(_ event: IBusEngine.Event) {
        switch event {
        case .field(let field):
            handler?(.field(field))
        case .unnamedFocus:
            hasUnnamedFocus = true
            if !isTakingOver { takeOverAgain() }
        case .doubtfulField:
            needsKeyPress = true
            if !isPressingKey { pressKeyWhileNeeded() }
        case .destroyed:
            isShowing = false
            if !isTakingOver { takeOverAgain() }
        }
    }

    /// Doubtful fields during a press need one more press only, in the field that has the focus then.
    private func pressKeyWhileNeeded() {
        isPressingKey = true
        Task {
            while needsKeyPress {
                needsKeyPress = false
                await pressKey()
            }
            isPressingKey = false
        }
    }

    private func takeOverAgain() {
        Task { [weak self] in
            do {
                guard let self, handler != nil, !isTakingOver else { return }
                try await takeOver()
            } catch {
                guard let self, connection?.isConnected == true else { return }
                lose(
                    RouteError(
                        "IBus refuses the dictation engine: \(Self.message(of: error)).",
                        remedy: "Run: ibus restart"))
            }
        }
    }

    // MARK: Typing

    public func perform(_ actions: [TypingAction]) {
        guard let engine else { return }
        for action in actions {
            switch action {
            case .show(let text):
                engine.show(text)
                isShowing = true
            case .clear:
                engine.clear()
                isShowing = false
            case .commit(let text, _): engine.commit(text)
            case .delete(let count): engine.delete(count)
            }
        }
    }

    public func close() async {
        handler = nil
        needsKeyPress = false
        guard let connection else { return }
        if isShowing { engine?.clear() }
        // A call fails only if IBus ends or does not answer; nothing can be done then.
        let current = connection.isConnected ? try? await globalEngine() : nil
        engine = nil
        self.connection = nil
        await connection.close(within: .seconds(1))
        guard let current else {
            engineGuard = nil
            return
        }
        let isOurs = IBusDescription.engineNames.contains(current)
        if let wanted = isOurs ? previousEngine : current {
            try? await Self.restore(wanted, after: connection.uniqueName.rawValue, environment: environment)
        }
        engineGuard = nil
    }

    /// Sets the global engine from another connection: when IBus loses a connection that has engines, it forgets the
    /// global engine, even another one.
    /// - Parameter lost: the name of that connection.
    public static func restore(
        _ name: String, after lost: String, environment: [String: String]
    ) async throws {
        let connection = try await connect(environment)
        for _ in 0..<100 {
            let isThere = try await connection.call(
                destination: .bus, path: .bus, interface: .bus, member: "NameHasOwner",
                [.string(lost)], timeout: callTimeout
            ).decoded(as: Bool.self)
            if !isThere { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        _ = try await connection.call(
            destination: IBusInterface.name, path: IBusInterface.path, interface: IBusInterface.bus,
            member: "SetGlobalEngine", [.string(name)], timeout: callTimeout)
        await connection.close(within: .seconds(1))
    }
}
