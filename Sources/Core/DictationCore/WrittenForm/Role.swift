/// The meaning of a word for the rules. A language's table lists the words of each role under the role's name.
public enum Role: UInt8, CaseIterable, Sendable {
    // Around marks and commands.
    /// After one of these, a mark is a word: "a comma".
    case determiner
    /// The same, if a preposition comes before it: "in that period".
    case demonstrative
    case preposition
    /// The next mark, command or number is written as words.
    case literal
    /// Belongs to the word before an apostrophe: the "s" of "dog's".
    case suffix
    /// "slash" between two of these is a mark: and, or, he, she.
    case alternative

    // Numbers. Each word has a value.
    case digit, teen, tens, scale, ordinal
    /// The parts of a fraction: half, third, quarters.
    case part
    /// Ten years: eighties.
    case decade
    /// A repetition of the next digit: double, triple.
    case repetition

    // Around numbers.
    case hundred
    /// "a" in "a hundred and five".
    case article
    case and
    /// "oh" for zero.
    case oh
    case point, dot
    case minus, plus
    case to, or, between
    /// A number after one of these is written in digits: page, chapter.
    case numbered
    /// A measure that a smaller one may follow: the "foot" of "five foot ten".
    case foot
    /// Forces digits: "numeral five".
    case numeral
    case roman

    // Time.
    case month
    /// A word that is a month only after a ``monthCue``: may, march.
    case vagueMonth
    /// A ``vagueMonth`` after it is a month: "in may".
    case monthCue
    /// Two numbers after it are a time: "at five ten".
    case timeCue
    /// Two numbers after it are a year: "in ten sixty six".
    case yearCue
    case half, quarter
    case past, till
    case clock
    /// "seventeen hundred hours".
    case hours
    /// Follows minutes: "five minutes past two".
    case minutes
    /// A word that a number counts: "ten fifteen minutes" is not a time of day.
    case duration
    case of, the, comma

    // Letters and addresses.
    case letter
    case spell
    /// "spell" after one of these is a word: "to spell".
    case spellGuard
    case at
    /// "at" after one of these is a word: "look at".
    case notMailbox
    /// The last label of an address: com, org.
    case ending
    case scheme, www
    case slash, colon, dash, hyphen, underscore

    /// A function word, which is never a name. "cap" before one of these is a word.
    case function
}

/// A set of roles, and of the kinds of phrases that begin with a word.
struct Roles: OptionSet, Hashable, Sendable {
    var rawValue: UInt64

    static let beginsMark = Roles(rawValue: 1 << 59)
    static let beginsControl = Roles(rawValue: 1 << 60)
    static let beginsCommand = Roles(rawValue: 1 << 61)
    static let beginsUserPhrase = Roles(rawValue: 1 << 62)
    static let beginsClientPhrase = Roles(rawValue: 1 << 63)

    init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ role: Role) { rawValue = 1 << UInt64(role.rawValue) }

    init(_ roles: Role...) { rawValue = roles.reduce(0) { $0 | 1 << UInt64($1.rawValue) } }

    func contains(_ role: Role) -> Bool { rawValue & (1 << UInt64(role.rawValue)) != 0 }
}
