import DBus
import DictationInterface
import EventLoop

/// Which keys are bound, for `dictation-cli shortcut`.
@EventLoopActor
final class ShortcutStatus: ObjectHandler {
    /// The desktop's description of each key, by the shortcut's id.
    var bound: [String: String] = [:]
    /// Why none is.
    var failure: String

    /// - Parameter failure: until a key is bound.
    init(failure: String) { self.failure = failure }

    func publish(on session: Connection) async throws {
        session.export(
            DictationShortcutsInterface.path, interfaces: [DictationShortcutsInterface.description],
            handler: self)
        _ = try await session.requestName(DictationShortcutsInterface.busName)
    }

    func handle(_ call: MethodCall) {
        do throws(DBusError) {
            switch try DictationShortcutsRequest(call) {
            case .get:
                let bound = Dictionary(uniqueKeysWithValues: bound.map { (BusText($0), $1) })
                call.reply(
                    DictationShortcutsReply.get(bound: bound, failure: bound.isEmpty ? failure : "").body)
            }
        } catch {
            call.fail(error)
        }
    }
}
