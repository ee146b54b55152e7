import DBus

// Dictionaries of the interface grow: a key that is missing, or of a type that is not known, reads as absent.
extension [BusText: Value] {
    func value<T: ValueConvertible>(_ key: BusText, as type: T.Type = T.self) -> T? {
        self[key].flatMap(T.init)
    }

    /// The elements of an array.
    func list(_ key: BusText) -> [Value] {
        if case .array(let elements, _) = self[key] { elements } else { [] }
    }

    func words<Word: RawRepresentable<String>>(_ key: BusText) -> [Word] {
        (value(key, as: [String].self) ?? []).compactMap(Word.init)
    }
}
