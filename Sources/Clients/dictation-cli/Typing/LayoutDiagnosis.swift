import DictationCore
import Foundation
import KeyboardLayouts
import LanguageFiles
import Localization

/// What `doctor` says about the setting "language-by-layout".
struct LayoutDiagnosis {
    /// None where the user does not want it, or has one language.
    func findings() async -> [Finding] {
        guard let settings = try? settings(), settings.usesLayout, settings.languages.count > 1 else {
            return []
        }
        do throws(LayoutError) {
            let layout = try await PresentLayout(environment: ProcessInfo.processInfo.environment).read()
            let name = DisplayText.harmless(layout.name)
            guard let language = layout.language(among: settings.languages) else {
                return [
                    .missing(
                        "The keyboard layout “\(name)” is of none of your languages.",
                        "Add its language to “language” in the settings.")
                ]
            }
            return [.good("The keyboard layout is “\(name)”: dictation into windows begins in \(language).")]
        } catch .notReported {
            return [
                .missing(
                    "“language-by-layout” is on, but this desktop does not report the keyboard layout.",
                    "Switch by “dictation-cli language next”, or set “language-shortcuts”.")
            ]
        } catch {
            return [
                .missing(
                    "The keyboard layout cannot be read: \(error.description).",
                    "Switch by “dictation-cli language next”, or set “language-shortcuts”.")
            ]
        }
    }

    /// The user's, then the administrator's.
    private func settings() throws -> (usesLayout: Bool, languages: [String]) {
        let files = try [SettingsFile.ofUser(), .ofAdministrator].map { try LanguageSettings($0.text()) }
        return (
            files.compactMap(\.usesLayout).first ?? false, files.map(\.languages).first { !$0.isEmpty } ?? []
        )
    }
}
