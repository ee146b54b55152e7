import DBus

// Dictionaries of the interface grow: a key that is missing, or of a type that is not known, reads as absent.
extension [String: Value] {
    func value<T: ValueConvertible>(_ key: String, as type: T.Type = T.self) -> T? {
        self[key].flatMap(T.init)
    }

    /// The elements of an array.
    func list(_ key: String) -> [Value] {
        if case .array(let elements, _) = self[key] { elements } else { [] }
    }

    func words<Word: RawRepresentable<String>>(_ key: String) -> [Word] {
        (value(key, as: [String].self) ?? []).compactMap(Word.init)
    }
}
