import Glibc

/// A grammar as states and words between them.
///
/// PocketSphinx's own expansion of JSGF has no limits: rules that refer to others twice double with each level, and
/// optional words take the cube of their number. Here every state is counted, and the result has no transition without
/// a word except those to the final state.
struct GrammarGraph: Sendable {
    struct Arc: Hashable, Sendable {
        var from: Int
        var to: Int
        /// Index into ``GrammarGraph/words``; nil only towards the final state.
        var word: Int?
        /// Natural logarithm of the probability.
        var weight: Double
    }

    /// Maximum number of states during expansion.
    static let mostStates = 20_000
    /// Maximum number of transitions with words in the result. PocketSphinx loads that many in half a second.
    static let mostArcs = 10_000
    /// Maximum number of words, brackets and names during expansion.
    static let mostSteps = 100_000
    /// Maximum number of steps while transitions without words are removed.
    static let mostReached = 500_000
    /// Maximum depth of references between rules.
    static let deepest = 64

    private(set) var words: [(text: String, position: GrammarPosition)] = []
    private(set) var arcs: [Arc] = []
    private(set) var stateCount = 0
    let start = 0
    private(set) var final = 0

    init(_ text: String) throws(RecognitionError) {
        let rules = try GrammarRules(text)
        var expander = GrammarExpander(rules)
        try expander.expandAll()
        words = expander.words
        try addArcs(of: expander)
    }

    /// Throws an error for the first word that has no pronunciation.
    func checkWords(_ isKnown: (String) -> Bool) throws(RecognitionError) {
        for (word, position) in words where !isKnown(word) {
            throw .grammar(
                "'\(word)' is not in the dictionary, whose words are in lower case: use another, or give its "
                    + "pronunciation in 'vocabulary'.", at: position)
        }
    }

    private struct State {
        var wordArcs: [Arc] = []
        var emptyArcs: [Arc] = []
    }

    /// Removes transitions without words: each state gets the words of every state that it reaches by them.
    private mutating func addArcs(of expander: GrammarExpander) throws(RecognitionError) {
        var states = [State](repeating: State(), count: expander.stateCount)
        for arc in expander.arcs {
            if arc.word == nil {
                states[arc.from].emptyArcs.append(arc)
            } else {
                states[arc.from].wordArcs.append(arc)
            }
        }
        var numbers = StateNumbers(final: expander.final)
        final = numbers.number(of: expander.final)
        var indices: [Arc: Int] = [:]
        var reachedCount = 0
        while let (state, from) = numbers.next() {
            let reachable = Self.reach(from: state, states)
            reachedCount += reachable.count
            guard reachedCount <= Self.mostReached else {
                throw RecognitionError(
                    .invalidOptions,
                    "The grammar has too many optional parts and repetitions in a row: write fewer.")
            }
            for (reached, weight) in reachable {
                if reached == expander.final {
                    arcs.append(Arc(from: from, to: final, word: nil, weight: weight))
                }
                for arc in states[reached].wordArcs {
                    let to = numbers.number(of: arc.to)
                    try add(Arc(from: from, to: to, word: arc.word, weight: weight + arc.weight), &indices)
                }
            }
        }
        stateCount = numbers.count
        guard arcs.contains(where: { $0.to == final }) else {
            throw RecognitionError(.invalidOptions, "The grammar's public rule describes no sentence.")
        }
    }

    /// Adds a transition with a word. Of equal transitions the one with the highest weight is kept.
    /// - Parameter indices: the transitions so far, by themselves with weight 0.
    private mutating func add(_ arc: Arc, _ indices: inout [Arc: Int]) throws(RecognitionError) {
        var key = arc
        key.weight = 0
        if let index = indices[key] {
            arcs[index].weight = max(arcs[index].weight, arc.weight)
            return
        }
        indices[key] = arcs.count
        arcs.append(arc)
        guard arcs.count <= Self.mostArcs else {
            throw .grammar(
                "At this word the grammar has more than \(Self.mostArcs) transitions: it has too many words "
                    + "or too many optional parts in a row; write fewer, or alternatives instead.",
                at: words[arc.word ?? 0].position)
        }
    }

    /// The states that are reachable without a word, with the best weight of a path. Weights are at most 0, so a cycle
    /// never improves a path.
    private static func reach(from state: Int, _ states: [State]) -> [Int: Double] {
        var best = [state: 0.0]
        var waiting = [state]
        while let next = waiting.popLast(), let weight = best[next] {
            for arc in states[next].emptyArcs {
                let sum = weight + arc.weight
                if sum > best[arc.to] ?? -.infinity {
                    best[arc.to] = sum
                    waiting.append(arc.to)
                }
            }
        }
        return best
    }
}

/// Numbers the states of the result in the order in which they are found: the start is 0, the final state 1.
private struct StateNumbers {
    private var numbers: [Int: Int]
    private var waiting = [0]

    init(final: Int) {
        // The final state does not wait, because no transition leaves it.
        numbers = [0: 0, final: 1]
    }

    var count: Int { numbers.count }

    /// The number of a state. A new one is returned by ``next()`` later.
    mutating func number(of state: Int) -> Int {
        if let number = numbers[state] { return number }
        let number = numbers.count
        numbers[state] = number
        waiting.append(state)
        return number
    }

    /// A state whose transitions were not added yet, and its number.
    mutating func next() -> (state: Int, number: Int)? {
        guard let state = waiting.popLast(), let number = numbers[state] else { return nil }
        return (state, number)
    }
}

/// Expands references to rules.
private struct GrammarExpander {
    private let rules: GrammarRules
    private(set) var words: [(text: String, position: GrammarPosition)] = []
    private var numbers: [String: Int] = [:]
    private(set) var arcs: [GrammarGraph.Arc] = []
    private(set) var stateCount = 1
    private(set) var final = 0
    /// The rules being expanded, the outermost first, and their first states.
    private var steps = 0
    private var active: [(name: String, entry: Int)] = []
    /// Active rules before this one do not end where the present expansion ends, so they cannot be restarted here.
    private var firstRestartable = 0

    init(_ rules: GrammarRules) { self.rules = rules }

    mutating func expandAll() throws(RecognitionError) {
        let position = rules.rules[rules.publicRule]?.position ?? GrammarPosition()
        final = try newState(at: position)
        try expand(.rule(rules.publicRule, position), from: 0, to: final)
    }

    private mutating func newState(at position: GrammarPosition) throws(RecognitionError) -> Int {
        guard stateCount < GrammarGraph.mostStates else {
            throw .grammar(
                "With its rules expanded, the grammar has more than \(GrammarGraph.mostStates) states here: refer to "
                    + "rules less often, or use a repetition.", at: position)
        }
        defer { stateCount += 1 }
        return stateCount
    }

    private mutating func link(_ from: Int, _ to: Int, word: Int? = nil, weight: Double = 0) {
        if from != to || word != nil {
            arcs.append(GrammarGraph.Arc(from: from, to: to, word: word, weight: weight))
        }
    }

    private mutating func number(of word: String, at position: GrammarPosition) -> Int {
        if let number = numbers[word] { return number }
        numbers[word] = words.count
        words.append((word, position))
        return words.count - 1
    }

    private mutating func expand(
        _ expansion: GrammarRules.Expansion, from: Int, to: Int
    ) throws(RecognitionError) {
        steps += 1
        guard steps <= GrammarGraph.mostSteps else {
            throw .grammar(
                "With its rules expanded, the grammar is too large here: refer to rules less often.",
                at: Self.position(of: expansion))
        }
        switch expansion {
        case .word(let word, let position):
            link(from, to, word: number(of: word, at: position))
        case .rule("NULL", _): link(from, to)
        case .rule("VOID", _): break
        case .rule(let name, let position): try expand(rule: name, at: position, from: from, to: to)
        case .sequence(let items):
            var state = from
            for item in items.dropLast() {
                let next = try newState(at: Self.position(of: item))
                try inside { expander throws(RecognitionError) in
                    try expander.expand(item, from: state, to: next)
                }
                state = next
            }
            if let last = items.last { try expand(last, from: state, to: to) }
        case .alternatives(let all):
            for (weight, item) in all {
                guard let weight else {
                    try expand(item, from: from, to: to)
                    continue
                }
                guard weight > 0 else { continue }
                let state = try newState(at: Self.position(of: item))
                link(from, state, weight: log(weight))
                try expand(item, from: state, to: to)
            }
        case .optional(let item):
            link(from, to)
            try expand(item, from: from, to: to)
        case .repeated(let item, let atLeastOnce):
            let first = try newState(at: Self.position(of: item))
            let last = try newState(at: Self.position(of: item))
            link(from, first)
            try inside { expander throws(RecognitionError) in
                try expander.expand(item, from: first, to: last)
            }
            link(last, first)
            link(last, to)
            if !atLeastOnce { link(from, to) }
        }
    }

    private mutating func expand(
        rule name: String, at position: GrammarPosition, from: Int, to: Int
    ) throws(RecognitionError) {
        if let index = active.lastIndex(where: { $0.name == name }) {
            guard index >= firstRestartable else {
                throw .grammar(
                    "<\(name)> refers to itself before its end: only its last part may; use a repetition.",
                    at: position)
            }
            return link(from, active[index].entry)
        }
        guard active.count < GrammarGraph.deepest, let rule = rules.rules[name] else {
            throw .grammar("Rules refer to each other more than \(GrammarGraph.deepest) deep.", at: position)
        }
        let entry = try newState(at: position)
        link(from, entry)
        active.append((name, entry))
        defer { active.removeLast() }
        try expand(rule.expansion, from: entry, to: to)
    }

    /// Expands a part that is not the last: no active rule can be restarted in it.
    private mutating func inside(
        _ body: (inout GrammarExpander) throws(RecognitionError) -> Void
    ) throws(RecognitionError) {
        let before = firstRestartable
        firstRestartable = active.count
        defer { firstRestartable = before }
        try body(&self)
    }

    private static func position(of expansion: GrammarRules.Expansion) -> GrammarPosition {
        switch expansion {
        case .word(_, let position), .rule(_, let position): position
        case .sequence(let items): items.first.map(position) ?? GrammarPosition()
        case .alternatives(let all): all.first.map { position(of: $0.1) } ?? GrammarPosition()
        case .optional(let item), .repeated(let item, _): position(of: item)
        }
    }
}
