import Foundation
import Localization

/// The errors in the files of settings, which the service's program can read.
struct SettingsCheck {
    /// The service's program; nil if it is not installed with this one.
    private let program: String?

    /// Maximum number of errors that are shown.
    private static let errorLimit = 8

    init() {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folder = URL(filePath: own).deletingLastPathComponent()
        program = ["dictationd", "../libexec/dictationd"]
            .map { folder.appending(path: $0).standardized.path }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    func findings() -> [Finding] {
        guard let program else { return [] }
        do {
            let check = try ProgramOutput([program, "--check"])
            if check.isGood { return [.good("The settings are valid.")] }
            guard check.text.isEmpty else {
                return check.text.split(separator: "\n").prefix(Self.errorLimit).map { error in
                    .missing(
                        "The settings have an error: \(error)",
                        "Correct the file, or let this user read it. dictation.conf(5) describes its format.")
                }
            }
            return [failure("it failed")]
        } catch {
            return [failure("\(error)")]
        }
    }

    private func failure(_ reason: String) -> Finding {
        .missing(
            "The settings cannot be checked by \(program ?? "dictationd"): \(reason).",
            "Install the same version of this program and of the service.")
    }
}
