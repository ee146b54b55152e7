/// Everything the rules know of a language: what is said, and what is then written. Read from a file; see
/// packaging/languages.
public struct LanguageTable: Sendable {
    /// How a mark stands between what is before and after it.
    public enum Spacing: String, CaseIterable, Sendable {
        /// Attached to the word before: a comma.
        case attached
        /// Attached, and a sentence ends: a full stop.
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
        /// Words after which it is a word: "long" for "period".
        public var notBehind: [String]
        /// Words before which it is a word: "of" for "period"...
        public var notBefore: [String]
        /// ...except where these two follow: "of course".
        public var exceptBefore: [String]
        /// A closing mark that is a word while nothing is open: "unquote".
        public var needsOpening: Bool

        public init(
            spoken: [String], written: String, spacing: Spacing, notBehind: [String] = [],
            notBefore: [String] = [], exceptBefore: [String] = [], needsOpening: Bool = false
        ) {
            self.spoken = spoken
            self.written = written
            self.spacing = spacing
            self.notBehind = notBehind
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

        /// It acts on the word after it, and on nothing else.
        var needsWord: Bool { [.capital, .capitals, .lower, .noSpace].contains(self) }
    }

    public enum Command: String, CaseIterable, Sendable {
        /// Takes back the last utterance, wherever it is said.
        case scratch
        /// Does so where it is all that is said between two pauses.
        case undo
        case newBlock = "new-block"
        case stop
    }

    /// Phrases with the words that make words of them.
    public struct Guarded<Meaning: Sendable>: Sendable {
        public var meaning: Meaning
        public var spoken: [String]
        public var notBehind: [String]
        public var notBefore: [String]

        public init(
            _ meaning: Meaning, spoken: [String], notBehind: [String] = [], notBefore: [String] = []
        ) {
            self.meaning = meaning
            self.spoken = spoken
            self.notBehind = notBehind
            self.notBefore = notBefore
        }
    }

    public struct Currency: Sendable {
        public var spoken: [String]
        public var sign: String
        public var cents: [String]
        /// Where the bare word means money; empty everywhere.
        public var regions: [String]

        public init(spoken: [String], sign: String, cents: [String] = [], regions: [String] = []) {
            self.spoken = spoken
            self.sign = sign
            self.cents = cents
            self.regions = regions
        }
    }

    /// How digits that begin so are grouped.
    public struct TelephoneNumber: Sendable {
        public var prefix: String
        /// How many digits each group has.
        public var groups: [Int]

        public init(prefix: String = "", groups: [Int]) {
            self.prefix = prefix
            self.groups = groups
        }
    }

    /// BCP 47.
    public var language: String
    public var roles: [Role: [String]] = [:]
    /// The words of those roles that have a value, with it.
    public var numbers: [Role: [String: Int]] = [:]
    /// Under headings, for the manual.
    public var marks: [(heading: String, marks: [Mark])] = []
    public var controls: [Guarded<Control>] = []
    public var commands: [Guarded<Command>] = []
    public var currencies: [Currency] = []
    public var percent: [String] = []
    /// What is written for a unit after a number.
    public var units: [String: String] = [:]
    public var operators: [String: String] = [:]
    /// AM and PM, as they are said and written.
    public var halvesOfDay: [String: String] = [:]
    /// Words that are always written so: Monday, I.
    public var names: [String] = []
    /// Letters that are one word although they begin or end like a word: USA.
    public var acronyms: [String] = []
    /// After an ordinal number in digits: of 0 and 4 to 9, 1, 2, 3.
    public var ordinalSuffixes: [String] = ["", "", "", ""]
    /// After a decade in digits: "1980s".
    public var decadeSuffix = ""
    public var telephoneNumbers: [TelephoneNumber] = []
    /// Between groups of three digits, and before decimals.
    public var groupSeparator = ","
    public var decimalSeparator = "."

    /// What is said, under headings, for the manual.
    public var examples: [(heading: String, spoken: [String])] = []

    public init(language: String) {
        self.language = language
    }
}

/// What a user says for something else: a replacement or a snippet.
public struct UserPhrase: Hashable, Sendable {
    public var spoken: String
    public var written: String

    public init(spoken: String, written: String) {
        self.spoken = spoken
        self.written = written
    }
}
