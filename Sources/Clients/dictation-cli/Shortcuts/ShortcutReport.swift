import DBus
import DictationInterface
import Localization

/// Which keys the desktop's portal has bound for dictation.
struct ShortcutReport: Equatable {
    /// The desktop's description of each key, by what it does. It may be empty.
    var bound: [String: String] = [:]
    /// Why there is none.
    var reason: String?

    private static let timeout = Duration.seconds(5)

    /// Asks the process that stays with the desktop session.
    static func present() async -> ShortcutReport {
        do {
            let session = try await Connection(to: .session)
            let (bound, failure) = try await DictationShortcutsProxy(
                connection: session, destination: DictationShortcutsInterface.busName, flags: [.noAutoStart]
            ).get(timeout: timeout)
            await session.close()
            return ShortcutReport(
                bound: Dictionary(uniqueKeysWithValues: bound.map { ($0.string, $1) }),
                reason: bound.isEmpty ? failure : nil)
        } catch let error as DBusError where [.nameHasNoOwner, .serviceUnknown].contains(error.name) {
            return ShortcutReport(
                reason: translated("no program asks it; “dictation-cli shortcut --bind” starts one"))
        } catch {
            return ShortcutReport(reason: "\(error)")
        }
    }

    var sentences: [String] {
        if let reason {
            return [translated("The desktop's portal has bound no key: \(DisplayText.harmless(reason)).")]
        }
        return bound.sorted { $0.key < $1.key }.map { name, key in
            let key = key.isEmpty ? translated("a key without a name") : DisplayText.harmless(key)
            return translated("Bound by the desktop's portal: \(key) (\(DisplayText.harmless(name))).")
        }
    }

    /// - Parameters:
    ///   - advice: how else to bind a key; nil if one is bound.
    ///   - shell: on GNOME.
    func json(_ advice: ShortcutAdvice?, _ shell: GnomeExtension.State?) -> JSON {
        .object([
            ("by", JSON(bound.isEmpty ? nil : "portal")),
            ("bound", .object(bound.sorted { $0.key < $1.key }.map { ($0, .string($1)) })),
            ("reason", JSON(reason)),
            ("extension", JSON(shell?.name)),
            ("sentences", .array((sentences + [advice?.sentence].compactMap(\.self)).map { .string($0) })),
            ("lines", .array((advice?.lines ?? []).map { .string($0) })),
        ])
    }
}
