import Clipboard
import EventLoop
import TypingRoutes
import WaylandInput

/// The texts of a dictation that were not typed. They are put on the clipboard, so that the user can paste them, unless the
/// user's settings keep the clipboard as it is.
@EventLoopActor
final class UntypedTexts {
    /// Says where the display is.
    private let environment: [String: String]
    /// The user's setting.
    private let mayCopy: @EventLoopActor () -> Bool
    private var texts: [String] = []

    /// In bytes of UTF-8; xclip takes 32 KiB. The oldest texts give way.
    private static let limit = 30_000

    init(environment: [String: String], mayCopy: @escaping @EventLoopActor () -> Bool) {
        self.environment = environment
        self.mayCopy = mayCopy
    }

    /// Puts all texts so far on the clipboard, in their order.
    /// - Returns: false where the user does not want that, or programs without a window cannot do it.
    func copy(_ text: String) async -> Bool {
        guard mayCopy() else { return false }
        texts.append(text)
        while texts.count > 1, texts.reduce(0, { $0 + $1.utf8.count + 1 }) > Self.limit {
            texts.removeFirst()
        }
        let all = texts.joined(separator: " ")
        if environment["WAYLAND_DISPLAY"]?.isEmpty == false {
            do {
                try await WaylandClipboard.copy(
                    all, environment: environment, keeper: TypingHelper.keepClipboard.command)
                return true
            } catch {
                // Such as GNOME, where XWayland's clipboard is the desktop's.
            }
        }
        return await X11Clipboard.copy(all, environment: environment)
    }
}
