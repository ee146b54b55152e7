import Testing

@testable import Typing

@Suite struct TypingCaseTests {
    @Test func tableIsRead() {
        #expect(!TypingCases.all.fits.isEmpty && !TypingCases.all.cases.isEmpty)
    }

    @Test(arguments: TypingCases.all.fits)
    func textFitsItsPlace(fit: TypingCases.Fit) {
        func scalars(_ text: String?) -> ArraySlice<Unicode.Scalar>? {
            text.map { Array($0.unicodeScalars)[...] }
        }
        let typed = TextFit(
            before: scalars(fit.before), after: scalars(fit.after), fitsCapitals: fit.capitals ?? true,
            language: fit.language ?? "en-US", isTerminal: fit.terminal ?? false,
            hasInitialCapital: fit.initialCapital ?? false
        ).fitted(fit.text)
        #expect(String(typed) == fit.typed)
    }

    @Test(arguments: TypingCases.all.cases)
    func typistFollowsTheTable(_ example: TypingCases.Case) {
        var desk = TypingDesk(example.field, style: example.style)
        for step in example.steps {
            let count = desk.effects.count
            switch step.event {
            case .event(let event): desk.handle(event)
            case .field(let field): desk.focus(field)
            case .take: desk.take()
            case .elapse: desk.elapse()
            case .settle: desk.run()
            }
            #expect(desk.effects.dropFirst(count).compactMap(\.line) == step.effects, "\(step)")
        }
    }
}
