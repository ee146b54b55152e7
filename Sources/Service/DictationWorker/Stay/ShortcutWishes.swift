import Desktop
package import DictationCore
import Localization

/// The keys that the user wants, and what each dictates.
package struct ShortcutWishes: Hashable, Sendable {
    private let shortcut: ShortcutKey?
    private let languages: [String: ShortcutKey]
    private static let id = "dictate"

    package init(_ shortcut: ShortcutKey?, languages: [String: ShortcutKey] = [:]) {
        self.shortcut = shortcut
        self.languages = languages
    }

    var isEmpty: Bool { shortcut == nil && languages.isEmpty }

    /// For the portal.
    var all: [GlobalShortcuts.Wish] {
        let own = shortcut.map {
            GlobalShortcuts.Wish(
                id: Self.id, description: translated("Dictate: tap to start and finish, or hold to talk"),
                trigger: $0.trigger)
        }
        return [own].compactMap(\.self)
            + languages.sorted { $0.key < $1.key }.map { language, key in
                GlobalShortcuts.Wish(
                    id: "\(Self.id)-\(language)",
                    description: translated(
                        "Dictate in \(language): tap to start and finish, or hold to talk"),
                    trigger: key.trigger)
            }
    }

    /// Of the shortcut with this id; nil for the usual one.
    func language(of id: String) -> String? {
        languages.keys.first { id == "\(Self.id)-\($0)" }
    }
}
