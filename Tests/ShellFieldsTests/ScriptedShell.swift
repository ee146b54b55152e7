import DBus
import DictationInterface
import DictationTestKit
import EventLoop
import Synchronization

/// A desktop shell that reports fields which a test sets, and records the edits.
final class ScriptedShell: ObjectHandler {
    struct Edit: Equatable {
        var visit: UInt64
        var edits: [String]
    }

    private struct State {
        var field: [BusText: Value] = [:]
        var client: BusName?
        var edits: [Edit] = []
        var closes = 0
    }

    private let connection: Connection
    private let state = Mutex(State())

    /// - Parameter isShell: whether it has the name of GNOME Shell, too.
    init(on bus: PrivateBus, field: [BusText: Value] = [:], isShell: Bool = true) async throws {
        connection = try await Connection(to: .custom(bus.address))
        state.withLock { $0.field = field }
        await connection.export(
            DictationFieldsInterface.path, interfaces: [DictationFieldsInterface.description], handler: self)
        if isShell { _ = try await connection.requestName("org.gnome.Shell") }
        _ = try await connection.requestName("org.example.Dictation.Fields")
    }

    var edits: [Edit] { state.withLock { $0.edits } }
    var closes: Int { state.withLock { $0.closes } }

    func report(_ field: [BusText: Value]) async throws {
        try await emit(.fieldChanged(field: field))
    }

    func emit(_ signal: DictationFieldsSignal) async throws {
        let client = state.withLock { $0.client }
        try await connection.emit(
            path: DictationFieldsInterface.path, interface: DictationFieldsInterface.name,
            member: signal.member, signal.body, to: client)
    }

    func end() async { await connection.close() }

    func handle(_ call: MethodCall) {
        do throws(DBusError) {
            let reply: DictationFieldsReply =
                switch try DictationFieldsRequest(call) {
                case .open:
                    .open(
                        field: state.withLock {
                            $0.client = call.sender
                            return $0.field
                        })
                case .edit(let visit, let edits, let texts, let numbers):
                    state.withLock {
                        $0.edits.append(
                            Edit(
                                visit: visit,
                                edits: edits.indices.map { "\(edits[$0]) \(texts[$0]) \(numbers[$0])" }))
                        return .done
                    }
                case .close:
                    state.withLock {
                        $0.closes += 1
                        return .done
                    }
                }
            call.reply(reply.body)
        } catch {
            call.fail(error)
        }
    }
}
