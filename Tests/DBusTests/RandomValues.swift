import DBus
import DictationTestKit

/// Values of all types, the same for the same seed.
struct RandomValues: RandomNumberGenerator {
    private var generator: SplitMix

    init(seed: UInt64) {
        generator = SplitMix(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }

    /// A value that nests no deeper than `depth`.
    mutating func value(depth: Int) -> Value {
        value(of: type(depth: depth))
    }

    private indirect enum Kind {
        case basic(Character)
        case array(Kind)
        case dictionary(Character, Kind)
        case structure([Kind])
        case variant(depth: Int)

        var signature: Signature {
            Signature(text) ?? "v"
        }

        private var text: String {
            switch self {
            case .basic(let type): String(type)
            case .array(let element): "a\(element.text)"
            case .dictionary(let key, let value): "a{\(key)\(value.text)}"
            case .structure(let members): "(\(members.map(\.text).joined()))"
            case .variant: "v"
            }
        }
    }

    private static let basicTypes: [Character] = Array("ybnqiuxtdsog")

    private mutating func type(depth: Int) -> Kind {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 4), using: &self) {
        case 0..<4: .basic(basicType())
        case 4: .array(type(depth: depth - 1))
        case 5: .dictionary(basicType(), type(depth: depth - 1))
        case 6: .structure((0...Int.random(in: 0..<4, using: &self)).map { _ in type(depth: depth - 1) })
        default: .variant(depth: depth - 1)
        }
    }

    private mutating func basicType() -> Character {
        Self.basicTypes[Int.random(in: 0..<Self.basicTypes.count, using: &self)]
    }

    private mutating func value(of kind: Kind) -> Value {
        switch kind {
        case .basic(let type): return basic(type)
        case .array(let element): return .array(several { $0.value(of: element) }, of: element.signature)
        case .dictionary(let key, let value):
            let entries = several { ($0.basic(key), $0.value(of: value)) }
            return .dictionary(
                Dictionary(entries, uniquingKeysWith: { $1 }), key: Kind.basic(key).signature,
                value: value.signature)
        case .structure(let members): return .structure(members.map { value(of: $0) })
        case .variant(let depth): return .variant(value(depth: depth))
        }
    }

    private mutating func several<Element>(_ make: (inout RandomValues) -> Element) -> [Element] {
        (0..<Int.random(in: 0..<5, using: &self)).map { _ in make(&self) }
    }

    private mutating func basic(_ type: Character) -> Value {
        switch type {
        case "y": .byte(number())
        case "b": .bool(Bool.random(using: &self))
        case "n": .int16(number())
        case "q": .uint16(number())
        case "i": .int32(number())
        case "u": .uint32(number())
        case "x": .int64(number())
        case "t": .uint64(number())
        case "d":
            .double(
                [0.0, -0.0, 1 / 3, .infinity, .leastNonzeroMagnitude, -1e300].randomElement(using: &self) ?? 0
            )
        case "o":
            .objectPath((["/", "/a", "/org/example/A_1"] as [ObjectPath]).randomElement(using: &self) ?? "/")
        case "g": .signature((["", "a{sv}", "(i(ss))aay"] as [Signature]).randomElement(using: &self) ?? "")
        default: .string(text())
        }
    }

    private mutating func number<Number: FixedWidthInteger>() -> Number {
        let edges: [Number] = [0, 1, .max, .min]
        return edges.randomElement(using: &self).flatMap { Bool.random(using: &self) ? $0 : nil }
            ?? Number.random(in: .min ... .max, using: &self)
    }

    private mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", " ", "'", "\"", "\n", "\u{1}", "ß", "€", "漢", "🎤", "\u{301}", "\u{10FFFF}",
        ]
        return several { $0.several { scalars.randomElement(using: &$0) ?? "a" } }.joined()
            .reduce(into: "") { $0.unicodeScalars.append($1) }
    }
}
