/// The meaning of a word for the rules. A language's table lists the words of each role under the role's name.
public enum Role: UInt8, CaseIterable, Sendable {
    // Around marks and commands.
    /// The next mark, command or number is written as words.
    case literal
    /// Belongs to the word before an apostrophe: the "s" of "dog's".
    case suffix
    /// The suffix of the genitive.
    case possessive
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

    /// Hundreds in one word: "doscientos".
    case hundreds
    /// A number in one word that the table does not list: "fünfundzwanzig".
    case compound

    // Around numbers.
    /// Between an amount of money and its cents: "doce euros con cincuenta".
    case centsAnd
    /// Between tens and a digit: "treinta y cinco".
    case tensAnd
    /// A hundred or a scale that is one without a number before it: "mille".
    case bare
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
    /// A version number follows, whose parts are said with "oh".
    case version
    /// A measure that a smaller one may follow: the "foot" of "five foot ten".
    case foot
    /// Forces digits: "numeral five".
    case numeral
    case roman

    /// "over" between the numbers of a pair: 120/80.
    case over
    case by
    /// "through" in a range.
    case through
    case degree
    /// "p" after a number of lines: 480p.
    case lines
    /// A letter and a number after it are one token: gate, seat.
    case labelled
    /// Quarters of a year: q.
    case quarterLetter
    case street

    // Time.
    case weekday
    case month
    /// A word that is a month only after a ``monthCue``: may, march.
    case vagueMonth
    /// A ``vagueMonth`` after it is a month: "in may".
    case monthCue
    /// Two numbers after it are a time: "at five ten".
    case timeCue
    /// "ten to six" after it is a time: at.
    case clockCue
    /// Two numbers after it are a year: "in ten sixty six".
    case yearCue
    case half, quarter
    case past, till
    /// "seventeen hundred hours".
    case hours
    /// Between the hour and the minutes: "fünfzehn Uhr dreißig".
    case hourWord
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
    /// A mail or web address may follow: to, email.
    case introducesAddress
    /// A usual name of a mailbox: info, sales.
    case mailbox
    /// A host without dots: localhost.
    case host
    /// A command line follows: run.
    case runs
    case tilde
    /// The last label of an address: com, org.
    case ending
    case scheme, www
    case slash, colon, dash, hyphen, underscore

    /// A function word, which is never a name. "cap" before one of these is a word.
    case function
}

/// A set of roles, and of the kinds of phrases that begin with a word.
struct Roles: OptionSet, Hashable, Sendable {
    var rawValue: UInt128

    /// The phrase of a slash begins with the word.
    static let beginsSlash = Roles(rawValue: 1 << 121)
    static let beginsIdiom = Roles(rawValue: 1 << 123)
    static let beginsMark = Roles(rawValue: 1 << 124)
    static let beginsControl = Roles(rawValue: 1 << 125)
    static let beginsCommand = Roles(rawValue: 1 << 126)
    static let beginsUserPhrase = Roles(rawValue: 1 << 122)
    static let beginsClientPhrase = Roles(rawValue: 1 << 127)

    init(rawValue: UInt128) { self.rawValue = rawValue }

    init(_ role: Role) { rawValue = 1 << UInt128(role.rawValue) }

    init(_ roles: Role...) { rawValue = roles.reduce(0) { $0 | 1 << UInt128($1.rawValue) } }

    func contains(_ role: Role) -> Bool { rawValue & (1 << UInt128(role.rawValue)) != 0 }
}
