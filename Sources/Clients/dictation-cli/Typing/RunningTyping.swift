import DBus
import DictationClient
import DictationInterface
import EventLoop

/// The program that types into the windows of this desktop session, such as another `dictation-cli type`.
struct RunningTyping {
    private let control: DictationTypingControlProxy

    /// Nil if there is none, or the session has no bus.
    static func find() async -> RunningTyping? {
        guard let connection = try? await Connection(to: .session),
            (try? await connection.owner(of: TypingControl.name)) != nil
        else { return nil }
        return RunningTyping(
            control: DictationTypingControlProxy(connection: connection, destination: TypingControl.name))
    }

    /// Makes a call on it.
    func perform(_ call: (DictationTypingControlProxy) async throws -> Void) async throws(DictationError) {
        do {
            try await call(control)
        } catch let error as DBusError {
            throw DictationError(name: error.name.rawValue, message: error.message)
        } catch {
            throw DictationError(.cancelled, message: "\(error)")
        }
    }
}
