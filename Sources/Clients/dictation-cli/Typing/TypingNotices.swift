import EventLoop

/// What the user must know about typing: on standard error, and on the desktop for a program without a terminal.
@EventLoopActor
final class TypingNotices {
    private let notifier: DesktopNotifier?
    /// Notifications are shown in order.
    private var last: Task<Void, Never>?

    init(_ notifier: DesktopNotifier?) {
        self.notifier = notifier
    }

    /// - Parameter text: dictated text that goes with it. Standard output has it too.
    func note(_ notice: String, text: String = "") {
        Output.standardError.note(notice)
        guard let notifier else { return }
        last = Task { [last] in
            await last?.value
            do {
                try await notifier.show(notice, text)
            } catch {
                Output.standardError.note(translated("The desktop shows no notification: \(error)"))
            }
        }
    }

    func waitUntilShown() async { await last?.value }
}
