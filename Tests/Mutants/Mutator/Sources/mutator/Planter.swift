import SwiftOperators
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// Finds the sites of a file and plants the chosen faults there.
///
/// A planted fault is chosen at run time: `a < b` becomes `(mutated(7) ? (a <= b) : (a < b))`, so that one build
/// holds all faults. Lines keep their numbers.
final class Planter: SyntaxRewriter {
    private(set) var sites: [Site] = []
    private let file: String
    private let firstID: Int
    private let chosen: Set<Int>
    private let converter: SourceLocationConverter
    private let tree: SourceFileSyntax

    init(_ source: String, file: String, firstID: Int, chosen: Set<Int>) throws {
        let parsed = Parser.parse(source: source)
        let folded = try OperatorTable.standardOperators.foldAll(parsed)
        tree = folded.cast(SourceFileSyntax.self)
        converter = SourceLocationConverter(fileName: file, tree: tree)
        self.file = file
        self.firstID = firstID
        self.chosen = chosen
        super.init(viewMode: .sourceAccurate)
    }

    /// The file with the chosen faults. The sites are complete afterwards.
    func plant() -> String { rewrite(tree).description }

    /// Records a site.
    /// - Returns: its number if it was chosen.
    private func site(_ node: some SyntaxProtocol, _ fault: String) -> Int? {
        let first = converter.location(for: node.positionAfterSkippingLeadingTrivia).line
        let last = converter.location(for: node.endPositionBeforeTrailingTrivia).line
        let id = firstID + sites.count
        sites.append(
            Site(
                id: id, file: file, lines: first...max(first, last), fault: fault,
                source: node.trimmedDescription))
        return chosen.contains(id) ? id : nil
    }

    /// Patterns, attributes, raw values and types need literals.
    private func isExpression(_ node: some SyntaxProtocol) -> Bool {
        var parent = node.parent
        while let current = parent {
            if current.is(CodeBlockItemSyntax.self) { return true }
            if current.is(ExpressionPatternSyntax.self) || current.is(AttributeSyntax.self)
                || current.is(EnumCaseElementSyntax.self) || current.is(GenericArgumentSyntax.self)
            {
                return false
            }
            parent = current.parent
        }
        return true
    }

    private func expression(_ text: String, like node: some SyntaxProtocol) -> ExprSyntax {
        var result = ExprSyntax("\(raw: text)")
        result.leadingTrivia = node.leadingTrivia
        result.trailingTrivia = node.trailingTrivia
        return result
    }

    // MARK: - Operators

    private static let replacements = [
        "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
        "+": "-", "-": "+", "*": "+", "+=": "-=", "-=": "+=",
    ]

    override func visit(_ node: InfixOperatorExprSyntax) -> ExprSyntax {
        let result = super.visit(node)
        guard let name = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text,
            let inner = result.as(InfixOperatorExprSyntax.self)
        else { return result }
        if name == "??" {
            guard let id = site(node, "a ?? b → b") else { return result }
            let (whole, right) = (inner.trimmedDescription, inner.rightOperand.trimmedDescription)
            return expression("(mutated(\(id)) ? (\(right)) : (\(whole)))", like: node)
        }
        guard let other = Self.replacements[name], let id = site(node, "\(name) → \(other)") else {
            return result
        }
        var changed = inner
        changed.operator = ExprSyntax(
            BinaryOperatorExprSyntax(
                operator: .binaryOperator(
                    other, leadingTrivia: inner.operator.leadingTrivia,
                    trailingTrivia: inner.operator.trailingTrivia)))
        return expression(
            "(mutated(\(id)) ? (\(changed.trimmedDescription)) : (\(inner.trimmedDescription)))", like: node)
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> ExprSyntax {
        let result = super.visit(node)
        guard node.operator.text == "!", let inner = result.as(PrefixOperatorExprSyntax.self),
            let id = site(node, "!a → a")
        else { return result }
        return expression(
            "(mutated(\(id)) == !(\(inner.expression.trimmedDescription)) ? false : true)", like: node)
    }

    // MARK: - Conditions

    /// Comparisons and negations have faults of their own.
    private func isPlain(_ node: ExprSyntax) -> Bool {
        !node.is(InfixOperatorExprSyntax.self) && !node.is(PrefixOperatorExprSyntax.self)
            && !node.is(BooleanLiteralExprSyntax.self)
    }

    private func negated(_ node: ExprSyntax, from original: ExprSyntax) -> ExprSyntax? {
        guard isPlain(original), let id = site(original, "condition negated") else { return nil }
        return expression("(mutated(\(id)) != (\(node.trimmedDescription)))", like: original)
    }

    override func visit(_ node: ConditionElementSyntax) -> ConditionElementSyntax {
        var result = super.visit(node)
        if case .expression(let original) = node.condition,
            case .expression(let condition) = result.condition,
            let changed = negated(condition, from: original)
        {
            result.condition = .expression(changed)
        }
        return result
    }

    override func visit(_ node: WhereClauseSyntax) -> WhereClauseSyntax {
        var result = super.visit(node)
        if let changed = negated(result.condition, from: node.condition) { result.condition = changed }
        return result
    }

    override func visit(_ node: TernaryExprSyntax) -> ExprSyntax {
        let result = super.visit(node)
        guard var inner = result.as(TernaryExprSyntax.self),
            let changed = negated(inner.condition, from: node.condition)
        else { return result }
        inner.condition = changed
        return ExprSyntax(inner)
    }

    // MARK: - Literals and names

    override func visit(_ node: BooleanLiteralExprSyntax) -> ExprSyntax {
        let other = node.literal.text == "true" ? "false" : "true"
        guard isExpression(node), let id = site(node, "\(node.literal.text) → \(other)") else {
            return ExprSyntax(node)
        }
        return expression("(mutated(\(id)) ? \(other) : \(node.literal.text))", like: node)
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> ExprSyntax {
        let text = node.literal.text
        guard isExpression(node), let value = Int(text.filter { $0 != "_" }),
            let id = site(node, "\(value) → \(value + 1)")
        else { return ExprSyntax(node) }
        return expression("(mutated(\(id)) ? \(value + 1) : \(text))", like: node)
    }

    private static let opposites = ["min": "max", "max": "min", "first": "last", "last": "first"]

    override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
        let result = super.visit(node)
        let name = node.declName.baseName.text
        guard name == "first" || name == "last", node.parent?.is(FunctionCallExprSyntax.self) != true,
            let other = Self.opposites[name], let inner = result.as(MemberAccessExprSyntax.self),
            let base = inner.base, let id = site(node, "\(name) → \(other)")
        else { return result }
        let text = base.trimmedDescription
        return expression("(mutated(\(id)) ? \(text).\(other) : \(text).\(name))", like: node)
    }

    // MARK: - Calls

    override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
        let result = super.visit(node)
        guard let inner = result.as(FunctionCallExprSyntax.self) else { return result }
        // Before the other fault, so that the sites do not depend on what was chosen.
        let swapped = swappingArguments(of: node, inner)
        if let name = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
            name == "min" || name == "max", let other = Self.opposites[name],
            let id = site(node, "\(name) → \(other)")
        {
            var changed = inner
            changed.calledExpression = "\(raw: other)"
            return expression(
                "(mutated(\(id)) ? \(changed.trimmedDescription) : \(inner.trimmedDescription))", like: node)
        }
        return swapped ?? result
    }

    /// Swaps the first two neighbouring arguments that are names. Where their types differ the compiler refuses it.
    private func swappingArguments(of node: FunctionCallExprSyntax, _ inner: FunctionCallExprSyntax)
        -> ExprSyntax?
    {
        let arguments = Array(node.arguments)
        guard node.trailingClosure == nil, arguments.count > 1,
            let position = arguments.indices.dropLast().first(where: {
                isName(arguments[$0].expression) && isName(arguments[$0 + 1].expression)
            }), let id = site(node, "arguments \(position + 1) and \(position + 2) swapped")
        else { return nil }
        var changed = Array(inner.arguments)
        let left = changed[position].expression
        changed[position].expression = changed[position + 1].expression
        changed[position + 1].expression = left
        var call = inner
        call.arguments = LabeledExprListSyntax(changed)
        return expression(
            "(mutated(\(id)) ? \(call.trimmedDescription) : \(inner.trimmedDescription))", like: node)
    }

    private func isName(_ node: ExprSyntax) -> Bool {
        node.is(DeclReferenceExprSyntax.self) || node.is(MemberAccessExprSyntax.self)
    }

    // MARK: - Statements

    /// A call or an assignment. In an initializer every property needs a value.
    private func isAction(_ item: CodeBlockItemSyntax) -> Bool {
        guard case .expr(let node) = item.item, !isInInitializer(item) else { return false }
        if let infix = node.as(InfixOperatorExprSyntax.self) {
            return infix.operator.is(AssignmentExprSyntax.self)
        }
        return node.is(FunctionCallExprSyntax.self)
    }

    /// Two assignments of which neither uses the other's property: their order does not matter.
    private func areIndependent(_ one: CodeBlockItemSyntax, _ other: CodeBlockItemSyntax) -> Bool {
        guard let first = assignment(one), let second = assignment(other),
            !first.value.contains("("), !second.value.contains("(")
        else { return false }
        return !"\(second.target) \(second.value)".contains(first.target)
            && !"\(first.target) \(first.value)".contains(second.target)
    }

    private func assignment(_ item: CodeBlockItemSyntax) -> (target: String, value: String)? {
        guard case .expr(let node) = item.item, let infix = node.as(InfixOperatorExprSyntax.self),
            infix.operator.is(AssignmentExprSyntax.self)
        else { return nil }
        return (infix.leftOperand.trimmedDescription, infix.rightOperand.trimmedDescription)
    }

    private func isInInitializer(_ item: CodeBlockItemSyntax) -> Bool {
        sequence(first: Syntax(item), next: \.parent).first {
            $0.is(InitializerDeclSyntax.self) || $0.is(FunctionDeclSyntax.self)
                || $0.is(ClosureExprSyntax.self)
        }?.is(InitializerDeclSyntax.self) ?? false
    }

    override func visit(_ node: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
        let inner = Array(super.visit(node))
        let original = Array(node)
        // The sites do not depend on what was chosen.
        let chosen = original.indices.map { position -> (swap: Int?, removal: Int?) in
            guard isAction(original[position]) else { return (nil, nil) }
            var swap: Int?
            if position + 1 < original.count, isAction(original[position + 1]),
                !areIndependent(original[position], original[position + 1])
            {
                swap = site(original[position], "swapped with the next statement")
            }
            return (swap, original.count > 1 ? site(original[position], "removed") : nil)
        }
        var result: [CodeBlockItemSyntax] = []
        var position = 0
        while position < original.count {
            if let id = chosen[position].swap {
                result.append(swapped(inner[position], inner[position + 1], id))
                position += 2
            } else {
                let item = inner[position]
                result.append(
                    chosen[position].removal.map { wrapped(item, "if !mutated(\($0)) { ", " }") } ?? item)
                position += 1
            }
        }
        return CodeBlockItemListSyntax(result)
    }

    private func wrapped(_ item: CodeBlockItemSyntax, _ before: String, _ after: String)
        -> CodeBlockItemSyntax
    {
        var result = CodeBlockItemSyntax("\(raw: before + item.trimmedDescription + after)")
        result.leadingTrivia = item.leadingTrivia
        result.trailingTrivia = item.trailingTrivia
        return result
    }

    private func swapped(
        _ first: CodeBlockItemSyntax, _ second: CodeBlockItemSyntax, _ id: Int
    ) -> CodeBlockItemSyntax {
        let (one, two) = (first.trimmedDescription, second.trimmedDescription)
        // The statement after the first begins on its own line, as in the original.
        let gap = String(repeating: "\n", count: (first.trailingTrivia + second.leadingTrivia).newlines)
        var result = CodeBlockItemSyntax(
            "\(raw: "if mutated(\(id)) { \(two.onOneLine); \(one.onOneLine) } else { \(one);\(gap)\(two) }")")
        result.leadingTrivia = first.leadingTrivia
        result.trailingTrivia = second.trailingTrivia
        return result
    }
}

extension Trivia {
    fileprivate var newlines: Int { pieces.filter(\.isNewline).count }
}

extension String {
    fileprivate var onOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
