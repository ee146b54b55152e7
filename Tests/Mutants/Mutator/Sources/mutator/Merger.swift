import SwiftParser
import SwiftSyntax

/// Joins a file with variants of it, each of which holds a fault, so that one build holds all: a function's body that differs
/// becomes `if mutated(7) { the variant's } else { its own }`.
struct Merger {
    /// A part that can be chosen at run time.
    private struct Part {
        enum Kind {
            case statements(CodeBlockItemListSyntax, hasResult: Bool)
            case value(ExprSyntax)
        }

        var kind: Kind
        var range: Range<Int>
        var text: String
    }

    private let original: [UInt8]
    private let parts: [Part]
    private var variants: [Int: [(id: Int, part: Part)]] = [:]

    init(_ source: String) {
        original = Array(source.utf8)
        parts = Self.parts(of: source)
    }

    /// - Returns: whether only bodies of functions and initial values of properties differ.
    mutating func add(_ source: String, id: Int) -> Bool {
        let others = Self.parts(of: source)
        guard Self.frame(of: Array(source.utf8), without: others) == Self.frame(of: original, without: parts)
        else { return false }
        for index in parts.indices where parts[index].text != others[index].text {
            variants[index, default: []].append((id, others[index]))
        }
        return true
    }

    /// The file with all variants.
    var merged: String {
        var bytes: [UInt8] = []
        var position = 0
        for index in parts.indices {
            guard let variants = variants[index] else { continue }
            bytes += original[position..<parts[index].range.lowerBound]
            bytes += Array(merge(parts[index], variants).utf8)
            position = parts[index].range.upperBound
        }
        return String(decoding: bytes + original[position...], as: UTF8.self)
    }

    private func merge(_ part: Part, _ variants: [(id: Int, part: Part)]) -> String {
        switch part.kind {
        case .value:
            return variants.reduce("(\(part.text))") { "(mutated(\($1.id)) ? (\($1.part.text)) : \($0))" }
        case .statements:
            let alternatives = variants.map { "if mutated(\($0.id)) {\(Self.statements($0.part))\n} else " }
            return "\n\(alternatives.joined()){\(Self.statements(part))\n}\n"
        }
    }

    /// With `return` before the only expression of a body that has a result.
    private static func statements(_ part: Part) -> String {
        guard case .statements(let items, let hasResult) = part.kind, hasResult, items.count == 1,
            let item = items.first, case .expr(let expression) = item.item
        else { return part.text }
        return "\(item.leadingTrivia)return \(expression.trimmedDescription)\(item.trailingTrivia)"
    }

    private static func parts(of source: String) -> [Part] {
        let finder = Finder(viewMode: .sourceAccurate)
        finder.walk(Parser.parse(source: source))
        return finder.parts
    }

    private static func frame(of bytes: [UInt8], without parts: [Part]) -> [[UInt8]] {
        let ends = [0] + parts.map(\.range.upperBound)
        let starts = parts.map(\.range.lowerBound) + [bytes.count]
        return zip(ends, starts).map { Array(bytes[$0..<$1]) }
    }

    private final class Finder: SyntaxVisitor {
        var parts: [Part] = []

        private func add(_ kind: Part.Kind, _ node: some SyntaxProtocol) {
            let range = node.position.utf8Offset..<node.endPosition.utf8Offset
            parts.append(Part(kind: kind, range: range, text: node.description))
        }

        private func add(_ body: CodeBlockSyntax?, hasResult: Bool) -> SyntaxVisitorContinueKind {
            guard let body else { return .visitChildren }
            add(.statements(body.statements, hasResult: hasResult), body.statements)
            return .skipChildren
        }

        override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
            add(node.body, hasResult: node.signature.returnClause != nil)
        }

        override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
            add(node.body, hasResult: false)
        }

        override func visit(_ node: AccessorDeclSyntax) -> SyntaxVisitorContinueKind {
            add(node.body, hasResult: node.accessorSpecifier.text == "get")
        }

        override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind {
            guard case .getter(let items) = node.accessors else { return .visitChildren }
            add(.statements(items, hasResult: true), items)
            return .skipChildren
        }

        override func visit(_ node: InitializerClauseSyntax) -> SyntaxVisitorContinueKind {
            // Not default arguments and raw values of enumerations.
            guard node.parent?.is(PatternBindingSyntax.self) == true else { return .skipChildren }
            add(.value(node.value), node.value)
            return .skipChildren
        }
    }
}
