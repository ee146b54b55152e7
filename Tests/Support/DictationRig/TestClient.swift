public import DBus
public import DictationInterface
import DictationTestKit
import EventLoop

/// A connection to the bus that records all received signals of the service.
public final class TestClient: Sendable {
    public let connection: Connection
    public let dictation: DictationProxy
    private let received = Lock<[DictationSignal]>([])
    /// The number of signals before the present step of the test.
    private let stepBegin = Lock(0)

    /// - Parameter listensToAll: whether it also subscribes to broadcast signals.
    public init(on rig: Rig, listensToAll: Bool = true) async throws {
        connection = try await Connection(to: .custom(rig.bus.address))
        dictation = DictationProxy(connection: connection, destination: DictationInterface.busName)
        guard listensToAll else { return }
        // On the loop: what comes before a reply is recorded before the call returns.
        try await connection.listen(MatchRule(interface: DictationInterface.name)) { [weak self] message in
            if let signal = DictationSignal(message) { self?.note(signal) }
        }
    }

    private func note(_ signal: DictationSignal) {
        received.withLock { $0.append(signal) }
    }

    deinit {
        Task { [connection] in await connection.close() }
    }

    public var signals: [DictationSignal] { received.withLock { $0 } }

    /// Begins a step of the test: waits then ignore earlier signals.
    public func beginStep() {
        let count = signals.count
        stepBegin.withLock { $0 = count }
    }

    /// The signals of the present step.
    public var signalsOfStep: [DictationSignal] {
        let begin = stepBegin.withLock { $0 }
        return Array(signals.dropFirst(begin))
    }

    /// Waits for a signal in the present step of the test.
    @discardableResult
    public func signal<Found>(_ what: String, _ find: (DictationSignal) -> Found?) async throws
        -> Found
    {
        var found: Found?
        try await waitUntil(what) {
            found = signalsOfStep.lazy.compactMap(find).first
            return found != nil
        }
        guard let found else { throw TestFailure(what) }
        return found
    }

    public func state(_ wanted: String) async throws {
        try await signal("the state \(wanted)") { signal in
            if case .stateChanged(_, wanted, _, _) = signal { true } else { nil }
        }
    }

    public func final(_ number: UInt64) async throws -> String {
        try await signal("the final text of block \(number)") { signal in
            if case .final(_, number, let text, _) = signal { text } else { nil }
        }
    }

    /// The text of a block, assembled from its Partials so far.
    public func text(of number: UInt64) -> String {
        var (stable, rest) = ("".unicodeScalars, "")
        for case .partial(_, number, let offset, let addition, let volatile, _) in signals {
            stable = String.UnicodeScalarView(stable.prefix(Int(offset)) + addition.unicodeScalars)
            rest = volatile
        }
        return String(stable) + rest
    }

    /// The text of a block after each of its Partials so far.
    public func texts(of number: UInt64) -> [String] {
        var stable = "".unicodeScalars
        return signals.compactMap { signal in
            guard case .partial(_, number, let offset, let addition, let volatile, _) = signal else {
                return nil
            }
            stable = String.UnicodeScalarView(stable.prefix(Int(offset)) + addition.unicodeScalars)
            return String(stable) + volatile
        }
    }

    /// Waits until this was the text of a block, although another may have replaced it since.
    public func shows(_ wanted: String, block number: UInt64 = 1) async throws {
        try await waitUntil("the text '\(wanted)'") { texts(of: number).contains(wanted) }
    }

    /// Interruptions, their ends, and the end of the session, in order: `Interrupted call`.
    public var story: [String] {
        signals.compactMap { signal in
            switch signal {
            case .interrupted(_, let reason, _): "Interrupted \(reason)"
            case .resumed(_, let reason, _): "Resumed \(reason)"
            case .stopped(_, let reason, _): "Stopped \(reason)"
            default: nil
            }
        }
    }

    /// Waits until these are the events so far.
    public func story(_ wanted: String...) async throws {
        try await waitUntil("\(wanted)") { story == wanted }
    }

    /// Waits until this holds. While signals come, the service is only slow: then it waits up to five times as long.
    private func waitUntil(_ what: String, _ condition: () -> Bool) async throws {
        for _ in 1..<5 {
            let before = signals.count
            do {
                return try await eventually(what) { condition() }
            } catch {
                guard signals.count > before else { throw failure(what) }
            }
        }
        throw failure(what)
    }

    private func failure(_ what: String) -> TestFailure {
        TestFailure("\(what): not in time; the last signals were: \(signals.suffix(20))")
    }

    /// Forgets all earlier signals.
    public func forget() {
        received.withLock { $0 = [] }
        stepBegin.withLock { $0 = 0 }
    }

    /// The property InUse.
    public func isMicrophoneInUse() async throws -> Bool {
        try await dictation.value(of: .inUse) == .bool(true)
    }

    /// Disconnects from the bus, like a program that crashes.
    public func vanish() async {
        await connection.close()
    }

    public var finals: [UInt64] {
        signals.compactMap { if case .final(_, let number, _, _) = $0 { number } else { nil } }
    }

    public var texts: [String] {
        signals.compactMap { signal in
            switch signal {
            case .partial(_, _, _, let stable, let volatile, _): stable + volatile
            case .final(_, _, let text, _): text
            default: nil
            }
        }
    }
}
