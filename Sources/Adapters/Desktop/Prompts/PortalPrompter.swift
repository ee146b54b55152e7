public import DBus
public import DictationCore
public import EventLoop
internal import Localization
public import Prompts

/// Asks the user with the desktop portal's access dialog, one question at a time.
///
/// A backend of xdg-desktop-portal shows the dialog and is called directly, because the portal itself has no method for
/// it.
@EventLoopActor
public final class PortalPrompter: Prompter {
    private let connection: Connection
    private let backends: PortalBackends
    private var isAsking = false
    private var waiting: [(id: UInt64, turn: CheckedContinuation<Bool, Never>)] = []
    private var lastID: UInt64 = 0

    private static let path: ObjectPath = "/org/freedesktop/portal/desktop"
    private static let interface: InterfaceName = "org.freedesktop.impl.portal.Access"
    private static let requestInterface: InterfaceName = "org.freedesktop.impl.portal.Request"
    /// Timeout for closing a dialog.
    private static let timeout = Duration.seconds(5)

    /// - Parameters:
    ///   - connection: to the session's bus.
    ///   - environment: the variables that name the desktop and its folders.
    public nonisolated init(on connection: Connection, environment: [String: String]) {
        self.connection = connection
        backends = PortalBackends(environment: environment)
    }

    public func ask(_ prompt: Prompt) async throws(DesktopError) -> Decision? {
        guard await waitForTurn() else { return nil }
        defer { passTurn() }
        var failure = DBusError(.serviceUnknown, "this desktop has no dialog to ask for access")
        for backend in try await installedBackends() {
            if Task.isCancelled { return nil }
            do {
                return try await ask(prompt, by: backend)
            } catch is CancellationError {
                return nil
            } catch {
                // GNOME's backend refuses while it shows another dialog; the next backend may not.
                failure = error as? DBusError ?? .failed("\(error)")
            }
        }
        throw DesktopError(.noPrompter, failure, of: "The desktop portal")
    }

    private func installedBackends() async throws(DesktopError) -> [BusName] {
        let (backends, interface) = (backends, Self.interface)
        do throws(EventLoopError) {
            return try await OwnThread.run("portals") { backends.names(for: interface) }
        } catch {
            throw DesktopError(.noPrompter, DBusError.failed("\(error)"), of: "The desktop portal")
        }
    }

    private func text(_ parts: UserText...) -> Value { text(parts) }

    private func text(_ parts: [UserText]) -> Value {
        .string(BusText(parts.map(\.description).joined(separator: " ")))
    }

    private func ask(_ prompt: Prompt, by backend: BusName) async throws -> Decision? {
        let request = requestPath()
        let options: [BusText: Value] = [
            "modal": .bool(true), "icon": .string("audio-input-microphone-symbolic"),
            "deny_label": .string(BusText(translated("Deny"))),
            "grant_label": .string(BusText(translated("Allow"))),
        ]
        do {
            // No application is named, because GNOME refuses one that does not have the focus.
            let (response, _) = try await connection.call(
                destination: backend, path: Self.path, interface: Self.interface, member: "AccessDialog",
                [
                    .objectPath(request), .string(""), .string(""), text(prompt.title),
                    text(prompt.subtitle), text(prompt.body), Value(options),
                ], timeout: nil
            ).decoded(as: UInt32.self, [BusText: Value].self)
            return Self.decision(response)
        } catch is CancellationError {
            await withdraw(request, from: backend)
            throw CancellationError()
        }
    }

    /// As the portals' documentation defines the number; 2 is a dialog that ended in another way.
    private static func decision(_ response: UInt32) -> Decision? {
        switch response {
        case 0: .allow
        case 1: .deny
        default: nil
        }
    }

    /// Closes the dialog before the next question, because there can be one dialog at a time.
    private func withdraw(_ request: ObjectPath, from backend: BusName) async {
        let connection = connection
        // In a task of its own, because the task that asks is cancelled.
        await Task {
            // A backend that is gone, or has just answered, has no dialog to close.
            _ = try? await connection.call(
                destination: backend, path: request, interface: Self.requestInterface, member: "Close",
                timeout: Self.timeout, flags: .noAutoStart)
        }.value
    }

    /// The path of the request, below the path that the portals use for this connection.
    private func requestPath() -> ObjectPath {
        let sender = connection.uniqueName.rawValue.dropFirst().map { $0 == "." ? "_" : String($0) }.joined()
        let token = UInt64.random(in: .min ... .max)
        return ObjectPath("\(Self.path)/request/\(sender)/dictation_\(token)") ?? Self.path
    }

    // MARK: Queue

    /// Waits for the end of the questions before. False if the task was cancelled meanwhile.
    private func waitForTurn() async -> Bool {
        guard isAsking else {
            isAsking = true
            return true
        }
        lastID += 1
        let id = lastID
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiting.append((id, $0)) }
        } onCancel: {
            EventLoopActor.execute { self.leaveQueue(id) }
        }
    }

    private func leaveQueue(_ id: UInt64) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).turn.resume(returning: false)
    }

    private func passTurn() {
        if waiting.isEmpty { isAsking = false } else { waiting.removeFirst().turn.resume(returning: true) }
    }
}
