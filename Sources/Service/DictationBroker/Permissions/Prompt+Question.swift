import Desktop
import DictationBus
import DictationCore

extension Prompt {
    /// The text contains only what the service verified, and nothing that the application says.
    init(_ question: Question) {
        let needs = question.resources.map { resource in
            switch resource {
            case .microphone: "listen to the microphone"
            case .speech: "have speech recognised"
            case .typing: "type text into your windows"
            }
        }
        let isTyping = question.resources == [.typing]
        self.init(
            client: question.identity, resources: question.resources,
            title: isTyping ? "Allow typing?" : "Allow dictation?",
            subtitle: "\(question.identity.name) wants to \(needs.joined(separator: " and to ")).",
            body: (isTyping
                ? "It would type into the field that you have chosen, never into one for passwords."
                : "It would listen only while it dictates.")
                + (question.identity.interpreter.map {
                    " Your answer counts for every \($0) program: they cannot be told apart."
                } ?? "")
                + " You can change this with “dictation-cli permissions”."
        )
    }
}

extension Identity {
    /// For people.
    fileprivate var name: String {
        switch kind {
        case .flatpak: "The Flatpak application \(id)"
        case .snap: "The snap \(id)"
        case .app: "The application \(id)"
        case .executable: interpreter.map { "Any \($0) program (\(id))" } ?? "The program \(id)"
        case .unknown: "An unknown program"
        }
    }

    /// The language of the programs that this executable runs: a decision counts for all of them.
    fileprivate var interpreter: String? {
        kind == .executable ? Interpreter.language(ofProgramAt: id.rawValue) : nil
    }
}
