import Typing
import TypingRoutes

/// Text of a program that has a field, instead of a session's. One call at a time.
extension TypingDriver {
    /// What became of a text.
    public enum FieldResult: Hashable, Sendable {
        /// - Parameter isSeen: the field has reported it.
        case typed(isSeen: Bool)
        /// It may have been typed or not.
        case doubtful
        case refused(Refusal)
        /// Another field has the focus.
        /// - Parameter isDeleted: the text to be replaced was deleted before.
        case moved(isDeleted: Bool)
    }

    public enum Refusal: Hashable, Sendable {
        /// The field has become private.
        case secret
        /// The window did not take it.
        case window
        /// There is no text to be replaced, or it cannot be deleted.
        case notDeletable
    }

    struct Insertion {
        var block: UInt64
        var state: TypingOutcome.State?
    }

    /// Longer than a route may take to report a commit.
    private static let insertionTimeout = TypingLimits.reportTimeout + .seconds(5)

    /// Begins with the field that has the focus. All text goes there, until ``close()``.
    /// - Returns: whether there is one that takes text.
    public func beginField() -> Bool {
        guard let field, !field.isSecret else { return false }
        isDictating = true
        typedBlocks = []
        process(.beginField)
        return true
    }

    /// Whether the field has the focus.
    public var isInOwnField: Bool { typist.isInOwnField }

    /// Shows live text instead of the present one.
    /// - Returns: whether the field shows it.
    public func show(_ text: String) -> Bool {
        process(.partial(block: nextBlock, text: text))
        return typist.showsLiveText
    }

    /// Types a text, and waits until it is known what became of it.
    public func insert(_ text: String) async -> FieldResult {
        let block = nextBlock
        insertion = Insertion(block: block)
        process(.final(block: block, text: text, hasInitialCapital: false))
        _ = await insertionWaiter.wait(within: Self.insertionTimeout) { insertion?.state != nil }
        let state = insertion?.state
        insertion = nil
        // The program has its text itself.
        kept = []
        switch state {
        case .arrived: return .typed(isSeen: true)
        case .sent: return .typed(isSeen: false)
        case .kept(.password): return .refused(.secret)
        case .kept(.refused): return .refused(.window)
        case .kept(.left), .kept(.noField):
            // It must not be typed when the field has the focus again.
            process(.retracted(block: block, offset: 0))
            return .moved(isDeleted: false)
        case .doubtful, .retracted, .kept(.unfinished), .kept(.restarted), nil: return .doubtful
        }
    }

    /// Deletes the text that was typed last, and types another one instead; an empty one only deletes.
    public func replaceLast(with text: String) async -> FieldResult {
        guard isInOwnField else { return .moved(isDeleted: false) }
        guard !typedBlocks.isEmpty else { return .refused(.notDeletable) }
        switch await takeBackLast() {
        case .notHere: return .refused(.notDeletable)
        case .unseen: return .doubtful
        case nil: break
        }
        guard !text.isEmpty else { return .typed(isSeen: true) }
        let result = await insert(text)
        return if case .moved = result { .moved(isDeleted: true) } else { result }
    }

    /// Whether the text that was typed last could be deleted, as far as the field says.
    public var canReplace: Bool { field?.canDelete == true }

    /// The block of the next text.
    private var nextBlock: UInt64 { typist.currentBlock ?? 1 }

    func recordInsertion(_ outcome: TypingOutcome) {
        guard insertion?.block == outcome.block, insertion?.state == nil else { return }
        insertion?.state = outcome.state
        insertionWaiter.resume()
    }
}
