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
        /// After one of these words it is a word, not a mark: "long" for "period".
        public var notAfter: [String]
        /// Before one of these words it is a word: "of" for "period"...
        public var notBefore: [String]
        /// ...except before these phrases: "of course".
        public var exceptBefore: [String]
        /// It is a word unless an opening mark came before: "unquote".
        public var needsOpening: Bool

        public init(
            spoken: [String], written: String, spacing: Spacing, notAfter: [String] = [],
            notBefore: [String] = [], exceptBefore: [String] = [], needsOpening: Bool = false
        ) {
            self.spoken = spoken
            self.written = written
            self.spacing = spacing
            self.notAfter = notAfter
            self.notBefore = notBefore
            self.exceptBefore = exceptBefore
            self.needsOpening = needsOpening
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

    public enum Command: String, CaseIterable, Sendable {
        /// Takes back the last utterance, wherever it is said.
        case scratch
        /// Takes back the last utterance, if nothing else is said between two pauses.
        case undo
        case newBlock = "new-block"
        case stop
    }

    /// Spoken phrases with a meaning, and the neighbouring words that make them ordinary words.
    public struct Guarded<Meaning: Sendable>: Sendable {
        public var meaning: Meaning
        public var spoken: [String]
        public var notAfter: [String]
        public var notBefore: [String]

        public init(
            _ meaning: Meaning, spoken: [String], notAfter: [String] = [], notBefore: [String] = []
        ) {
            self.meaning = meaning
            self.spoken = spoken
            self.notAfter = notAfter
            self.notBefore = notBefore
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
    /// Grouped under headings for the manual.
    public var marks: [(heading: String, marks: [Mark])] = []
    public var controls: [Guarded<Control>] = []
    public var commands: [Guarded<Command>] = []
    public var currencies: [Currency] = []
    public var percent: [String] = []
    /// The symbols of units, by the spoken word. Used after a number.
    public var units: [String: String] = [:]
    public var operators: [String: String] = [:]
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
