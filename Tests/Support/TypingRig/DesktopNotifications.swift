public import DBus
import DictationTestKit
public import EventLoop

/// A desktop's notifications, as the specification of freedesktop.org has them.
@EventLoopActor
public final class DesktopNotifications {
    public typealias Notification = (title: String, text: String)

    private var all: [(id: UInt32, notification: Notification)] = []
    private var lastID: UInt32 = 0
    private let connection: Connection

    private static let interface = InterfaceDescription(
        "org.freedesktop.Notifications",
        methods: [
            .init(
                "Notify",
                in: [
                    "app_name": "s", "replaces_id": "u", "app_icon": "s", "summary": "s", "body": "s",
                    "actions": "as", "hints": "a{sv}", "expire_timeout": "i",
                ], out: ["id": "u"])
        ])

    public init(at address: String) async throws {
        connection = try await Connection(to: .custom(address))
        connection.export("/org/freedesktop/Notifications", interfaces: [Self.interface], handler: self)
        _ = try await connection.requestName("org.freedesktop.Notifications")
    }

    /// In order, without those that another one has replaced.
    public var visible: [Notification] { all.map(\.notification) }

    public func forget() { all = [] }

    /// Waits for a notification with this title and text.
    public func shows(_ title: String, _ text: String = "") async throws {
        do {
            try await eventually("the notification “\(title)”") {
                visible.contains { $0.title.contains(title) && $0.text == text }
            }
        } catch {
            throw TestFailure("\(error), but \(visible)")
        }
    }

    public func close() async { await connection.close() }
}

extension DesktopNotifications: ObjectHandler {
    public func handle(_ call: MethodCall) {
        do {
            let body = try call.body()
            guard body.count == 8, case .uint32(let replaced) = body[1], case .string(let title) = body[3],
                case .string(let text) = body[4]
            else { return call.fail(.invalidArgs("Notify has eight arguments.")) }
            all.removeAll { $0.id == replaced }
            lastID += 1
            all.append((lastID, (title.string, text.string)))
            call.reply([.uint32(lastID)])
        } catch {
            call.fail(error)
        }
    }
}
