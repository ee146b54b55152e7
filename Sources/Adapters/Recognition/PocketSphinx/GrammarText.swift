/// A position in a grammar's text. Line and column count from 1, columns in bytes.
struct GrammarPosition: Hashable, Sendable {
    var line = 1
    var column = 1
}

extension RecognitionError {
    static func grammar(_ message: String, at position: GrammarPosition) -> RecognitionError {
        RecognitionError(
            .invalidOptions, "The grammar, line \(position.line), column \(position.column): \(message)")
    }
}

enum GrammarToken: Hashable, Sendable {
    case word(String)
    /// A name from angle brackets.
    case rule(String)
    /// One of `=;|()[]*+`.
    case symbol(UInt8)
    case weight(Double)
    case end

    static func symbol(_ scalar: Unicode.Scalar) -> GrammarToken { .symbol(UInt8(ascii: scalar)) }

    /// The token's text, for messages.
    var text: String {
        switch self {
        case .word(let word): "'\(word)'"
        case .rule(let name): "<\(name)>"
        case .symbol(let byte): "'\(Unicode.Scalar(byte))'"
        case .weight: "a weight"
        case .end: "the end of the text"
        }
    }
}

/// Splits JSGF into tokens, in one pass over its bytes. Skips comments and tags.
struct GrammarScanner {
    private let bytes: [UInt8]
    private var index = 0
    private var position = GrammarPosition()

    init(_ text: String) {
        bytes = Array(text.utf8)
        // A byte order mark.
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { index = 3 }
    }

    mutating func next() throws(RecognitionError) -> (token: GrammarToken, at: GrammarPosition) {
        try skip()
        let start = position
        guard let byte = current else { return (.end, start) }
        switch byte {
        case UInt8(ascii: "<"):
            advance()
            let name = try text(upTo: UInt8(ascii: ">"), "A rule's name", from: start)
            return (.rule(name), start)
        case UInt8(ascii: "\""):
            advance()
            return (.word(try text(upTo: byte, "A quotation", from: start)), start)
        case UInt8(ascii: "/"):
            advance()
            let number = try text(upTo: byte, "A weight", from: start)
            guard let weight = Double(number), weight.isFinite, weight >= 0 else {
                throw .grammar("A weight must be a number such as /0.5/.", at: start)
            }
            return (.weight(weight), start)
        case _ where Self.symbols.contains(byte):
            advance()
            return (.symbol(byte), start)
        case UInt8(ascii: ">"), UInt8(ascii: "}"):
            throw .grammar("This '\(Unicode.Scalar(byte))' has no opening bracket.", at: start)
        default:
            return (.word(word()), start)
        }
    }

    private static let symbols = Set("=;|()[]*+".utf8)
    private static let separators = symbols.union("<>{}/\" \t\r\n".utf8)
    private static let spaces = Set(" \t\r\n".utf8)

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }
    private var following: UInt8? { index + 1 < bytes.count ? bytes[index + 1] : nil }

    private mutating func advance() {
        if bytes[index] == UInt8(ascii: "\n") {
            position.line += 1
            position.column = 1
        } else {
            position.column += 1
        }
        index += 1
    }

    private mutating func word() -> String {
        let start = index
        while let byte = current, !Self.separators.contains(byte) { advance() }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func text(
        upTo end: UInt8, _ what: String, from start: GrammarPosition
    ) throws(RecognitionError) -> String {
        let first = index
        while let byte = current, byte != end, byte != UInt8(ascii: "\n") { advance() }
        guard current == end else {
            throw .grammar("\(what) has no '\(Unicode.Scalar(end))' at its end.", at: start)
        }
        defer { advance() }
        return String(decoding: bytes[first..<index], as: UTF8.self)
    }

    /// Skips white space, comments and tags.
    private mutating func skip() throws(RecognitionError) {
        while let byte = current {
            if Self.spaces.contains(byte) {
                advance()
            } else if byte == UInt8(ascii: "/"), following == UInt8(ascii: "/") {
                while let byte = current, byte != UInt8(ascii: "\n") { advance() }
            } else if byte == UInt8(ascii: "/"), following == UInt8(ascii: "*") {
                try skipComment()
            } else if byte == UInt8(ascii: "{") {
                try skipTag()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(RecognitionError) {
        let start = position
        advance()
        advance()
        while let byte = current {
            let isEnd = byte == UInt8(ascii: "*") && following == UInt8(ascii: "/")
            advance()
            if isEnd { return advance() }
        }
        throw .grammar("A comment has no end: '*/' is missing.", at: start)
    }

    private mutating func skipTag() throws(RecognitionError) {
        let start = position
        while let byte = current {
            advance()
            if byte == UInt8(ascii: "}") { return }
            if byte == UInt8(ascii: "\\"), current != nil { advance() }
        }
        throw .grammar("A tag has no end: '}' is missing.", at: start)
    }
}
