/// How often words stand directly before and after marks in ordinary text, against a usual noun: from -4, hardly ever, to 5.
/// Words that are not listed are like a usual noun.
public struct MarkHabits: Hashable, Sendable {
    public var before: [String: Int] = [:]
    public var after: [String: Int] = [:]

    public static let range = -4...5

    public init() {}

    func before(_ word: String) -> Int { before.isEmpty ? 0 : before[word] ?? before[word.lowercased()] ?? 0 }

    func after(_ word: String) -> Int { after.isEmpty ? 0 : after[word] ?? after[word.lowercased()] ?? 0 }
}
