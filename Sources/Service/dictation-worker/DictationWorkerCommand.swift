import ArgumentParser
import DBus
import DictationConfiguration
import DictationWorker
import EventLoop
import Foundation
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
                + "manager of the user does, or for --shortcut."))
    var stay = false

    @Option(
        help: ArgumentHelp(
            "Ask the desktop for a shortcut to dictate: tap to start and finish, or hold to talk. Needs --stay.",
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

    func validate() throws {
        if broker != nil, request != nil || stay {
            throw ValidationError("--broker excludes --request and --stay.")
        }
        guard let shortcut else { return }
        if !stay { throw ValidationError("--shortcut needs --stay.") }
        if !StayingWorker.isTrigger(shortcut) {
            throw ValidationError(
                "--shortcut takes modifiers (CTRL, ALT, SHIFT, NUM, LOGO) and a key, such as LOGO+ALT+space.")
        }
    }

    func run() async throws {
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
            return StayingWorker(
                request: request,
                arguments: [try Subprocess.ownProgram(), "--bus", bus]
                    + (request.map { ["--request", $0] } ?? []) + (config.map { ["--config", $0] } ?? [])
                    + (verbose ? ["--verbose"] : []),
                shortcut: shortcut, environment: environment, logger: logger)
        }
        return WorkerDaemon(
            broker: broker.map { .parent(socket: $0) } ?? .machine(request: request),
            bus: bus == "session" ? .session : .custom(bus),
            loader: ConfigurationLoader(explicit: config, environment: environment),
            environment: environment, logger: logger)
    }
}
