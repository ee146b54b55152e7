import Desktop
import DictationCore
import Testing

@testable import DictationBroker

@Suite struct PromptTests {
    private func prompt(_ kind: Identity.Kind, _ id: String) throws -> Prompt {
        var questions = QuestionMachine()
        let client = Client(name: ClientName(":1.1"), identity: Identity(uid: 1000, kind: kind, id: id))
        let effects = questions.handle(.asked(nil, by: client, [.microphone, .speech]), at: .zero)
        let asked = effects.compactMap { effect -> Question? in
            if case .ask(_, let question) = effect { question } else { nil }
        }
        return Prompt(try #require(asked.first))
    }

    @Test func aQuestionAboutAnInterpreterSaysThatEveryProgramOfItIsMeant() throws {
        let prompt = try prompt(.executable, "/usr/bin/python3.11")
        #expect(prompt.subtitle.hasPrefix("Any Python program (/usr/bin/python3.11) wants to "))
        #expect(
            prompt.body.contains("Your answer counts for every Python program: they cannot be told apart."))
    }

    @Test func aQuestionAboutAnotherProgramNamesItAlone() throws {
        for (kind, id) in [(Identity.Kind.executable, "/usr/bin/gedit"), (.app, "python3")] {
            #expect(try !prompt(kind, id).body.contains("every"))
        }
    }
}
