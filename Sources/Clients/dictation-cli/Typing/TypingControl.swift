import DBus
import DictationClient
import DictationInterface
import EventLoop

/// Lets other programs of the desktop session control this program, see `dbus/org.example.Dictation.TypingControl.xml`. It has
/// the name of the ``FieldService`` meanwhile, so that other programs do not type.
@EventLoopActor
final class TypingControl: ObjectHandler {
    typealias Perform = @EventLoopActor (DictationTypingControlRequest) async throws -> Void

    nonisolated static let name: BusName = "org.example.Dictation.Typing"

    private let connection: Connection
    private let perform: Perform

    private init(_ connection: Connection, _ perform: @escaping Perform) {
        self.connection = connection
        self.perform = perform
    }

    /// Nil if the session has no bus, or another program that types has the name: then this one types without being controlled.
    static func begin(_ perform: @escaping Perform) async -> TypingControl? {
        guard let connection = try? await Connection(to: .session) else { return nil }
        let control = TypingControl(connection, perform)
        connection.export(
            DictationTypingControlInterface.path,
            interfaces: [DictationTypingControlInterface.description, DictationTypingInterface.description],
            handler: control)
        guard let reply = try? await connection.requestName(name, [.doNotQueue, .replaceExisting]),
            reply == .primaryOwner
        else {
            await connection.close()
            return nil
        }
        return control
    }

    /// Begins in the place of another program's typing, if the process that has the turn has the name too and gives it away.
    static func begin(inPlaceOf process: Int32?, _ perform: @escaping Perform) async -> TypingControl? {
        guard let process, let connection = try? await Connection(to: .session) else { return nil }
        let owner = try? await connection.owner(of: name)
        let credentials =
            if let owner { try? await connection.credentials(of: owner) } else { nil as Credentials? }
        await connection.close()
        guard credentials?.pid == UInt32(exactly: process) else { return nil }
        return await begin(perform)
    }

    /// Lets the next program that types have the name. Calls `replaced` when it has it.
    func allowReplacement(_ replaced: @escaping @EventLoopActor () -> Void) async {
        do {
            let lost = try await connection.lostNames()
            _ = try await connection.requestName(Self.name, [.doNotQueue, .allowReplacement])
            Task {
                for await _ in lost { replaced() }
                // The bus is gone.
                replaced()
            }
        } catch {
            replaced()
        }
    }

    func end() async { await connection.close() }

    nonisolated func handle(_ call: MethodCall) {
        EventLoopActor.execute { [self] in
            _ = Task.immediate {
                do {
                    guard call.interface != DictationTypingInterface.name else {
                        throw DictationError(
                            .limitExceeded,
                            message: "The user dictates into windows now. Begin again when that has ended.")
                    }
                    try await perform(DictationTypingControlRequest(call))
                    call.reply([])
                } catch let error as DBusError {
                    call.fail(error)
                } catch {
                    let kind = (error as? DictationError).flatMap {
                        DictationErrorKind(rawValue: $0.code.rawValue)
                    }
                    call.fail(DBusError(kind.map(DictationInterface.errorName) ?? .failed, "\(error)"))
                }
            }
        }
    }
}
