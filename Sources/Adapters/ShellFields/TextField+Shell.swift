import DBus
import DictationInterface
import Typing

extension TextField {
    /// Longer names of fields are cut, because they are compared often.
    private static let nameLimit = 200

    /// A field as the shell reports it; nil for none.
    ///
    /// A report without the name, visit or purpose of the field is as none, and one with a purpose that is not known is that of
    /// a password: nothing is typed there.
    init?(shell report: [BusText: Value]) {
        func read<T: ValueConvertible>(_ key: BusText) -> T? { report[key].flatMap(T.init) }
        guard let id: BusText = read(ShellFieldKey.id), let visit: UInt64 = read(ShellFieldKey.visit),
            let purpose: BusText = read(ShellFieldKey.purpose)
        else { return nil }
        let x: Int32? = read(ShellFieldKey.x)
        let y: Int32? = read(ShellFieldKey.y)
        let text: BusText? = read(ShellFieldKey.text)
        let cursor: UInt32 = read(ShellFieldKey.cursor) ?? 0
        let limit: UInt32? = read(ShellFieldKey.limit)
        let application: BusText? = read(ShellFieldKey.application)
        var abilities: Abilities = []
        if read(ShellFieldKey.live) ?? false { abilities.formUnion([.liveText, .deletion]) }
        if read(ShellFieldKey.reports) ?? false { abilities.insert(.commitReports) }
        self.init(
            id: String(id.string.unicodeScalars.prefix(Self.nameLimit)), visit: visit,
            purpose: Purpose(shell: purpose.string), isSensitive: read(ShellFieldKey.sensitive) ?? false,
            surrounding: text.map {
                SurroundingText(
                    $0.string, cursor: Int(cursor), isSelecting: read(ShellFieldKey.selecting) ?? false)
            },
            place: x.flatMap { x in y.map { CursorPlace(x: x, y: $0) } }, abilities: abilities,
            commitLimit: limit.map { Int($0) } ?? TypingLimits.commitBytes,
            application: application.map { String($0.string.unicodeScalars.prefix(Self.nameLimit)) })
    }
}

extension TextField.Purpose {
    fileprivate init(shell purpose: String) {
        self =
            switch purpose {
            case "text": .text
            case "pin": .pin
            case "terminal": .terminal
            default: .password
            }
    }
}
