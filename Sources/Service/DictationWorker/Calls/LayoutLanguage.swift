import DBus
import DictationBus
import DictationConfiguration
import DictationCore
import DictationInterface
import EventLoop
import KeyboardLayouts
import Logging

extension Worker {
    /// The language of the keyboard layout for a session that types, if the user wants that and the call names no language.
    /// - Parameter environment: of the desktop session.
    /// - Returns: one of several languages of the settings; nil if those decide.
    func layoutLanguage(
        _ options: [BusText: Value], from client: Client, on environment: [String: String]
    ) async throws(Refusal) -> String? {
        guard options[StartOption.language] == nil, options[StartOption.languages] == nil else { return nil }
        let application = try ApplicationChoice(options, from: client, as: nil)
        let configuration = supplies.configuration().settings(for: application.identity)
        guard configuration.speaksByLayout, configuration.languages.count > 1 else { return nil }
        do throws(LayoutError) {
            return try await PresentLayout(environment: environment).read()
                .language(among: configuration.languages)
        } catch {
            logger.notice("the keyboard layout is not known", metadata: ["why": "\(error)"])
            return nil
        }
    }
}
