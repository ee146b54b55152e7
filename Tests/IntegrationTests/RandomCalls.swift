import DBus
import DictationInterface
import DictationTestKit

/// Calls of every member, with arguments of the right and of wrong types, the same for the same seed.
struct RandomCalls: RandomNumberGenerator {
    struct Call: Sendable {
        let interface: InterfaceName
        let member: MemberName
        let body: [Value]
    }

    private static let descriptions = [
        DictationInterface.description, DictationTypingInterface.description,
        DictationPermissionsInterface.description,
        DictationHistoryInterface.description, DictationAgentManagerInterface.description,
    ]
    private static let properties: [(MemberName, [Signature])] = [
        ("Get", ["s", "s"]), ("GetAll", ["s"]), ("Set", ["s", "s", "v"]),
    ]
    private static let keys: [BusText] = [
        StartOption.linger, StartOption.broadcast, StartOption.language, StartOption.engine,
        StartOption.grammar, StartOption.vocabulary, StartOption.partials, StartOption.levels,
        StartOption.autoCommit, StartOption.route, StartOption.playback, StartOption.speechSeconds,
        StartOption.record, StartOption.quality, StartOption.segmentSeconds, StartOption.keepCancelled,
        SubscribeOption.text, RequestPermissionOption.wait, ClientKey.kind, ClientKey.id,
        AgentOption.fallback, "unknown", "",
    ]
    private static let words: [BusText] = [
        "", "microphone", "speech", "granted", "denied", "not-determined", "executable", "flatpak",
        "/usr/bin/true", "org.example.App", "prompt", "identify", "en-US", "scripted", "pause", "mix",
        "org.example.Dictation", "State", "Engines", "nowhere", "#JSGF V1.0; grammar g; public <g> = a;",
        "line\nbreak", "\u{E9}", "e\u{301}\u{316}\u{301}", "\u{1F600}\u{202E}",
    ]
    private static let basicTypes: [Character] = Array("ybnqiuxtdsog")

    private var generator: SplitMix

    init(seed: UInt64) {
        generator = SplitMix(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }

    mutating func call() -> Call {
        var (interface, member, types) = target()
        // One in three has wrong types.
        if chance(3) {
            switch below(3) {
            case 0: types = Array(types.dropLast())
            case 1: types.append(type(depth: 2))
            default: types = types.map { _ in type(depth: 3) }
            }
        }
        return Call(interface: interface, member: member, body: types.map { value(of: $0) })
    }

    private mutating func target() -> (InterfaceName, MemberName, [Signature]) {
        switch below(12) {
        case 0:
            let (member, types) = Self.properties[below(Self.properties.count)]
            return (.properties, member, types)
        case 1: return (.peer, chance(2) ? "Ping" : "GetMachineId", [])
        case 2: return (.introspectable, "Introspect", [])
        default:
            let interface = Self.descriptions[below(Self.descriptions.count)]
            let method = interface.methods[below(interface.methods.count)]
            return (interface.name, method.name, method.input.types)
        }
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    private mutating func chance(_ bound: Int) -> Bool { below(bound) == 0 }

    private mutating func type(depth: Int) -> Signature {
        let basic = String(Self.basicTypes[below(Self.basicTypes.count)])
        let text =
            switch depth > 0 ? below(8) : 0 {
            case 0..<4: basic
            case 4: "a\(type(depth: depth - 1))"
            case 5: "a{\(basic)\(type(depth: depth - 1))}"
            case 6: "(\(type(depth: depth - 1))\(type(depth: depth - 1)))"
            default: "v"
            }
        return Signature(text) ?? "v"
    }

    private mutating func value(of type: Signature) -> Value {
        var rest = Array(type.rawValue)[...]
        return value(of: &rest, depth: 0)
    }

    /// Takes one complete type from the front.
    private mutating func value(of types: inout ArraySlice<Character>, depth: Int) -> Value {
        guard let code = types.popFirst() else { return .bool(false) }
        switch code {
        case "y": return .byte(UInt8(truncatingIfNeeded: next()))
        case "b": return .bool(chance(2))
        case "n": return .int16(Int16(truncatingIfNeeded: next()))
        case "q": return .uint16(UInt16(truncatingIfNeeded: next()))
        case "i": return .int32(Int32(truncatingIfNeeded: next()))
        case "u": return .uint32(chance(2) ? UInt32(below(2000)) : UInt32(truncatingIfNeeded: next()))
        case "x": return .int64(Int64(bitPattern: next()))
        case "t": return .uint64(next())
        case "d": return .double(Double(bitPattern: next()))
        case "s": return .string(text())
        case "o": return .objectPath(chance(2) ? "/" : "/org/example/Agent")
        case "g": return .signature("a{sv}")
        case "v":
            // A value of the option's type, or any.
            var content = Array(type(depth: depth < 3 ? 2 : 0).rawValue)[...]
            return .variant(value(of: &content, depth: depth + 1))
        case "a" where types.first == "{":
            types.removeFirst()
            return dictionary(&types, depth: depth)
        case "a":
            let element = Self.complete(types)
            types = types.dropFirst(element.count)
            let elements = (0..<below(4)).map { _ in
                var type = element
                return value(of: &type, depth: depth + 1)
            }
            return .array(elements, of: Signature(String(element)) ?? "v")
        default:
            var members: [Value] = []
            while types.first != ")", !types.isEmpty { members.append(value(of: &types, depth: depth + 1)) }
            types = types.dropFirst()
            return .structure(members)
        }
    }

    private mutating func dictionary(_ types: inout ArraySlice<Character>, depth: Int) -> Value {
        let key = types.prefix(1)
        types = types.dropFirst()
        let element = Self.complete(types)
        types = types.dropFirst(element.count + 1)
        var entries: [Value: Value] = [:]
        for _ in 0..<below(5) {
            var (keyType, valueType) = (key, element)
            let name: Value =
                key == ["s"]
                ? .string(Self.keys[below(Self.keys.count)]) : value(of: &keyType, depth: depth + 1)
            entries[name] = value(of: &valueType, depth: depth + 1)
        }
        return .dictionary(
            entries, key: Signature(String(key)) ?? "s", value: Signature(String(element)) ?? "v")
    }

    private mutating func text() -> BusText {
        // One in a hundred is longer than any limit except a grammar's.
        if chance(100) {
            return BusText(String(repeating: "\u{301}\u{316}", count: below(12_000)))
        }
        return Self.words[below(Self.words.count)]
    }

    /// The first complete type.
    private static func complete(_ types: ArraySlice<Character>) -> ArraySlice<Character> {
        var depth = 0
        for (count, code) in types.enumerated() {
            switch code {
            case "a": continue
            case "(", "{": depth += 1
            case ")", "}": depth -= 1
            default: break
            }
            if depth == 0 { return types.prefix(count + 1) }
        }
        return types
    }
}
