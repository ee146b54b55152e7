import DBus

// The interface's dictionaries may get new keys and types: a missing key or an unknown type reads as nil.
extension [BusText: Value] {
    func value<T: ValueConvertible>(_ key: BusText, as type: T.Type = T.self) -> T? {
        self[key].flatMap(T.init)
    }

    /// The elements of an array.
    func list(_ key: BusText) -> [Value] {
        if case .array(let elements, _) = self[key] { elements } else { [] }
    }

    /// Pairs of numbers, each not above its second. Others are ignored.
    func ranges(_ key: BusText) -> [ClosedRange<Double>] {
        list(key).compactMap { value in
            guard case .structure(let bounds) = value, bounds.count == 2, let lower = Double(bounds[0]),
                let upper = Double(bounds[1]), lower <= upper
            else { return nil }
            return lower...upper
        }
    }

    func words<Word: RawRepresentable<String>>(_ key: BusText) -> [Word] {
        (value(key, as: [String].self) ?? []).compactMap(Word.init)
    }
}
