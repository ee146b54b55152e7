/// The data of a language for the rules: spoken words and their written forms. Read from a file; see
/// packaging/languages.
public struct LanguageTable: Sendable {
    /// The spaces around a mark.
    public enum Spacing: String, CaseIterable, Sendable {
        /// Attached to the word before: a comma.
        case attached
        /// Attached to the word before, and ends the sentence: a full stop.
        case sentence
        /// Between two words without spaces: a hyphen.
        case between
        /// A space on either side: a dash.
        case apart
        /// Attached to the word after it: "#".
        case prefix
        /// Attached to a number after it: "$".
        case beforeNumber = "before-number"
        /// An opening quote or bracket.
        case opening
        case closing
        /// Attached to a suffix after it: an apostrophe.
        case apostrophe
        case lineBreak = "line-break"
        /// White space instead of the usual space.
        case blank
    }

    public struct Mark: Sendable {
        public var spoken: [String]
        public var written: String
        public var spacing: Spacing
        /// Added to the evidence for it: negative for marks that are seldom said, such as "underscore".
        public var evidence: Int
        /// It is a word unless an opening mark came before: "unquote".
        public var needsOpening: Bool
        /// It is a word except after a word of the class `speech`: "he said quote".
        public var needsSpeech: Bool
        /// It is a word except after a pause or another mark: "à la ligne".
        public var needsBreak: Bool
        /// Before a number it is mostly a word: "Punkt acht".
        public var countsBefore: Bool

        public init(
            spoken: [String], written: String, spacing: Spacing, evidence: Int = 0,
            needsOpening: Bool = false, needsSpeech: Bool = false, needsBreak: Bool = false,
            countsBefore: Bool = false
        ) {
            self.spoken = spoken
            self.written = written
            self.spacing = spacing
            self.evidence = evidence
            self.needsOpening = needsOpening
            self.needsSpeech = needsSpeech
            self.needsBreak = needsBreak
            self.countsBefore = countsBefore
        }
    }

    /// A phrase that changes how the next words are written.
    public enum Control: String, CaseIterable, Sendable {
        case capital, capitals, lower
        case capitalOn = "capital-on"
        case capitalOff = "capital-off"
        case capitalsOn = "capitals-on"
        case capitalsOff = "capitals-off"
        case lowerOn = "lower-on"
        case lowerOff = "lower-off"
        case noSpace = "no-space"
        case noSpaceOn = "no-space-on"
        case noSpaceOff = "no-space-off"

        /// Whether it applies only to the word after it.
        var needsWord: Bool { [.capital, .capitals, .lower, .noSpace].contains(self) }
    }

    /// Spoken phrases with a meaning.
    public struct Spoken<Meaning: Sendable>: Sendable {
        public var meaning: Meaning
        public var spoken: [String]

        public init(_ meaning: Meaning, spoken: [String]) {
            self.meaning = meaning
            self.spoken = spoken
        }
    }

    public struct Currency: Sendable {
        public var spoken: [String]
        public var sign: String
        public var cents: [String]
        /// The regions in which the word alone means money; empty: all regions.
        public var regions: [String]

        public init(spoken: [String], sign: String, cents: [String] = [], regions: [String] = []) {
            self.spoken = spoken
            self.sign = sign
            self.cents = cents
            self.regions = regions
        }
    }

    /// The grouping of the digits of telephone numbers with this prefix.
    public struct TelephoneNumber: Sendable {
        public var prefix: String
        /// The number of digits of each group.
        public var groups: [Int]

        public init(prefix: String = "", groups: [Int]) {
            self.prefix = prefix
            self.groups = groups
        }
    }

    /// The BCP 47 tag.
    public var language: String
    public var roles: [Role: [String]] = [:]
    /// The words with a numeric value, by role.
    public var numbers: [Role: [String: Int]] = [:]
    /// Words of each class.
    public var grammar: [WordClass: [String]] = [:]
    /// The classes of longer words by their endings.
    public var endings: [WordClass: [String]] = [:]
    /// What is left out if the user wants it.
    public var cleanUp = CleanUpRules()
    /// How often words stand before and after marks.
    public var habits = MarkHabits()
    /// Phrases of several words with which a clause begins.
    public var openers: [String] = []
    /// Grouped under headings for the manual.
    public var marks: [(heading: String, marks: [Mark])] = []
    public var controls: [Spoken<Control>] = []
    public var commands: [Spoken<Command>] = []
    public var currencies: [Currency] = []
    public var percent: [String] = []
    public var percentSign = "%"
    /// Whether "60 10" and "80 10" are 70 and 90: "soixante-dix".
    public var teensAfter: [Int] = []
    /// The word between digits and tens in compounds: "und"; empty if the language has no compounds.
    public var compoundJoiner = ""
    /// Digits within compounds: "ein".
    public var compoundDigits: [String: Int] = [:]
    /// The endings that make a compound an ordinal.
    public var compoundOrdinalEndings: [String] = []
    /// Between a number and its unit.
    public var unitSpace = " "
    /// Whether the sign of a currency follows the amount.
    public var currencyFollows = false
    /// Between the groups of a telephone number.
    public var telephoneSeparator = "-"
    /// How a day, a month and a year are written, with {day}, {month} and {year}; nil: the month first.
    public var date: String?
    /// How a day is written before its month, with {day}.
    public var dayOfDate = "{day}"
    /// How the first day of a month is written.
    public var firstDay: String?
    /// How a time with a word between hour and minutes is written, with {hour} and {minutes}.
    public var timeOfDay: String?
    /// The same without minutes.
    public var fullHour: String?
    /// The symbols of units, by the spoken word. Used after a number.
    public var units: [String: String] = [:]
    public var operators: [String: String] = [:]
    /// Signs before a number that are said in several words: ±.
    public var signs: [String: String] = [:]
    /// Phrases with their own written form.
    public var idioms: [String: String] = [:]
    /// Whether "one twenty" can be 120.
    public var pairsNumbers = false
    /// "o'clock" after an hour.
    public var clock: [String: String] = [:]
    /// AM and PM: the written form by the spoken one.
    public var halvesOfDay: [String: String] = [:]
    /// Words with a fixed spelling: Monday, I.
    public var names: [String] = []
    /// Spelled letters that are one word although the first or last letter is also a word: USA.
    public var acronyms: [String] = []
    /// Suffixes of ordinal numbers in digits, by the last digit: 0 and 4 to 9, 1, 2, 3.
    public var ordinalSuffixes: [String] = ["", "", "", ""]
    /// The suffix of a decade in digits: "1980s".
    public var decadeSuffix = ""
    public var telephoneNumbers: [TelephoneNumber] = []
    /// Separates groups of three digits.
    public var groupSeparator = ","
    /// Separates decimals from the whole number.
    public var decimalSeparator = "."

    /// Example sentences under headings, for the manual.
    public var examples: [(heading: String, spoken: [String])] = []

    public init(language: String) {
        self.language = language
    }
}

/// A phrase of the user's and the text that is written for it: a replacement or a snippet.
public struct UserPhrase: Hashable, Sendable {
    public var spoken: String
    public var written: String

    public init(spoken: String, written: String) {
        self.spoken = spoken
        self.written = written
    }

    // By bytes, because the texts may be long: see ``ExactName``.

    public static func == (one: UserPhrase, other: UserPhrase) -> Bool {
        one.spoken.hasSameBytes(as: other.spoken) && one.written.hasSameBytes(as: other.written)
    }

    public func hash(into hasher: inout Hasher) {
        spoken.hashBytes(into: &hasher)
        written.hashBytes(into: &hasher)
    }
}
