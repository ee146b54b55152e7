import ArgumentParser
import DBus
import DictationConfiguration
import DictationCore
import DictationWorker
import EventLoop
import Foundation
import Localization
import Logging
import ServiceLifecycle
import ServiceLog
import UnixSignals

@main
struct DictationWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dictation-worker",
        abstract:
            "Dictate for one user: the part of the service that has the microphone, the engines and the text.",
        discussion: """
            Nobody needs to start it. A user's own dictationd(8) starts it as a child process; the service of the machine asks \
            the user's service manager for it. It ends when it is not needed any more. \
            Exits with 0 after SIGTERM or SIGINT and when nobody needs it, with 69 if the bus is lost, \
            with 75 if the service still needs it and it has to be started again.
            """,
        version: "0.1.0")

    @Option(
        help: ArgumentHelp(
            "Work for the dictationd that listens at this socket, of this user.", valueName: "path"))
    var broker: String?

    @Option(
        help: ArgumentHelp(
            "The file by which the service of the machine asks for this worker.", valueName: "path"))
    var request: String?

    @Flag(
        help: ArgumentHelp(
            "Stay as long as the desktop session, and start a worker whenever the service asks for it: where no service "
                + "manager of the user does, or for the shortcuts of the settings."))
    var stay = false

    @Option(
        help: ArgumentHelp(
            "Ask the desktop for this shortcut to dictate, instead of that of the settings. Needs --stay.",
            valueName: "key"))
    var shortcut: String?

    @Option(
        help: ArgumentHelp(
            "The bus of the user's session: 'session', or an address.", valueName: "session|ADDRESS"))
    var bus = "session"

    @Option(help: "The configuration file to read instead of ~/.config/dictation/dictation.yaml.")
    var config: String?

    @Flag(help: "Also log normal events, not only errors.")
    var verbose = false

    /// Of a process that a worker starts.
    @Argument(parsing: .allUnrecognized, help: .hidden)
    var helper: [String] = []

    func validate() throws {
        if let first = helper.first {
            guard TypingHelper(rawValue: first) != nil else {
                throw ValidationError("Unexpected argument: \(first)")
            }
            return
        }
        if broker != nil, request != nil || stay {
            throw ValidationError("--broker excludes --request and --stay.")
        }
        guard let shortcut else { return }
        if !stay { throw ValidationError("--shortcut needs --stay.") }
        if ShortcutKey(shortcut) == nil { throw ValidationError("--shortcut takes \(ShortcutKey.rule).") }
    }

    func run() async throws {
        if let helper = helper.first.flatMap(TypingHelper.init) {
            return try await helper.run(Array(self.helper.dropFirst()))
        }
        Catalogue.open()
        // With a limit on the size of files, writing must fail and not end the process.
        signal(SIGXFSZ, SIG_IGN)
        var logger = Logger(label: "dictation-worker") { ServiceLogHandler.standardError(label: $0) }
        logger.logLevel = verbose ? .debug : .notice
        do {
            var groupLogger = logger
            groupLogger.logLevel = .notice
            let group = ServiceGroup(
                configuration: .init(
                    services: [
                        .init(
                            service: try service(logger), successTerminationBehavior: .gracefullyShutdownGroup
                        )
                    ],
                    gracefulShutdownSignals: [.sigterm, .sigint], logger: groupLogger))
            try await group.run()
        } catch WorkerError.isStillRequested {
            logger.info("\(WorkerError.isStillRequested)")
            throw ExitCode(75)
        } catch {
            logger.critical("\(error)")
            throw ExitCode(69)
        }
    }

    private func service(_ logger: Logger) throws -> any Service {
        let environment = ProcessInfo.processInfo.environment
        if stay {
            let (settings, errors) = ConfigurationLoader(explicit: config, environment: environment)
                .loadSkippingErrors()
            for error in errors { logger.error("\(error)") }
            return StayingWorker(
                request: request,
                arguments: [try Subprocess.ownProgram(), "--bus", bus]
                    + (request.map { ["--request", $0] } ?? []) + (config.map { ["--config", $0] } ?? [])
                    + (verbose ? ["--verbose"] : []),
                shortcuts: ShortcutWishes(
                    shortcut.flatMap { ShortcutKey($0) } ?? settings.shortcut,
                    languages: settings.languageShortcuts),
                environment: environment, logger: logger)
        }
        return WorkerDaemon(
            broker: broker.map { .parent(socket: $0) } ?? .machine(request: request),
            bus: bus == "session" ? .session : .custom(bus),
            loader: ConfigurationLoader(explicit: config, environment: environment),
            environment: environment, logger: logger)
    }
}
