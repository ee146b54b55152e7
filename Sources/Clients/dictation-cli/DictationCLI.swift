import ArgumentParser
import DictationClient
import Glibc
import Localization

@main
struct DictationCLI: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dictation-cli",
        abstract: "Dictate, and control dictation, from the terminal.",
        discussion: """
            Dictated text goes to standard output, everything else to standard error.

            Exit codes: 0 done; 1 no session, or one already; 64 wrong usage; 65 not audio, or unknown language; \
            66 no such file; 69 something is missing (try “dictation-cli doctor”); 70 the engine failed; \
            74 a file or the output cannot be written; 75 try again; 77 no permission; 130 interrupted twice; 141 the reader has closed the output.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Text:",
                subcommands: [
                    Listen.self, Type.self, Undo.self, Transcribe.self, History.self, Format.self,
                ]),
            CommandGroup(
                name: "A session in the background:",
                subcommands: [
                    Toggle.self, Start.self, Pause.self, Resume.self, Commit.self, Cancel.self, Stop.self,
                    Status.self, Monitor.self,
                ]),
            CommandGroup(
                name: "This computer:",
                subcommands: [
                    Setup.self, Doctor.self, Shortcut.self, Routes.self, Language.self, Engines.self,
                    Words.self, Permissions.self, Agent.self,
                ]),
        ])

    /// May also come before the command.
    @OptionGroup var busOptions: BusOptions

    static func main() async {
        // A reader that has closed the output is noticed when writing.
        signal(SIGPIPE, SIG_IGN)
        Catalogue.open()
        do {
            if let suggestion = CommandSuggestion(CommandLine.arguments.dropFirst(), among: configuration) {
                Output.standardError.writeNotice("\(suggestion)")
                exit(withError: ExitStatus.usage.code)
            }
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as DictationError {
            Output.standardError.writeNotice(Catalogue.translation(ofMessage: error.sentence))
            exit(withError: ExitStatus(error.code).code)
        } catch let error as InputFileError {
            Output.standardError.writeNotice("\(error)")
            exit(withError: error.status.code)
        } catch let error as OutputError {
            exit(withError: error.status.code)
        } catch {
            exit(withError: error)
        }
    }
}
