import Desktop
import DictationCore

extension Prompt {
    /// The text contains only what the service verified, and nothing that the application says.
    init(_ question: Question) {
        let needs = question.resources.map { resource in
            switch resource {
            case .microphone: "listen to the microphone"
            case .speech: "have speech recognised"
            }
        }
        self.init(
            client: question.identity, resources: question.resources, title: "Allow dictation?",
            subtitle: "\(question.identity.name) wants to \(needs.joined(separator: " and to ")).",
            body:
                "It would listen only while it dictates. You can change this with “dictation-cli permissions”."
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
        case .executable: "The program \(id)"
        case .unknown: "An unknown program"
        }
    }
}
