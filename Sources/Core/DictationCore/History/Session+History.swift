// The texts of the session in the user's history.

extension Session {
    /// A block of which some must not be kept is not kept at all.
    mutating func keepTexts(_ keeps: Bool) {
        keepsTexts = keeps
        if !keeps { block.isSecret = true }
    }

    /// What is said while a secret field has the focus may be a password. Before the options are settled it is not known when the
    /// field got the focus.
    mutating func setSecretField(_ hasFocus: Bool) {
        hasSecretField = hasFocus
        guard hasFocus else { return }
        block.isWithheld = true
        guard engine == .unsettled else { return }
        for index in commits.indices { commits[index].block.isWithheld = true }
    }

    /// A text is final.
    /// - Parameter isRest: some or all of it was taken back since.
    func keep(_ block: FinishedBlock, isRest: Bool = false, _ effects: inout [Effect]) {
        guard options.mayKeepTexts, usesMicrophone, !block.isSecret else { return }
        effects.append(
            .keep(
                KeptText(
                    session: id, block: block.number, identity: identity, application: options.application,
                    language: block.language, engine: block.engine, text: block.text, isRest: isRest)))
    }
}
