import ArgumentParser
import DBus
import DictationConfiguration
import DictationService
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
            dictationd(8) starts it when the user's first call comes, and ends it when it is not needed any more. \
            Exits with 0 after SIGTERM or SIGINT and when the service ends, with 69 if the bus is lost, \
            with 78 if a configuration file is invalid.
            """,
        version: "0.1.0")

    @Option(help: ArgumentHelp("The socket of dictationd.", valueName: "path"))
    var broker: String

    @Option(
        help: ArgumentHelp(
            "The bus of the user's session: 'session', or an address.", valueName: "session|ADDRESS"))
    var bus = "session"

    @Option(help: "The configuration file to read instead of ~/.config/dictation/dictation.yaml.")
    var config: String?

    @Flag(help: "Also log normal events, not only errors.")
    var verbose = false

    func run() async throws {
        // With a limit on the size of files, writing must fail and not end the process.
        signal(SIGXFSZ, SIG_IGN)
        var logger = Logger(label: "dictation-worker") { ServiceLogHandler.standardError(label: $0) }
        logger.logLevel = verbose ? .debug : .notice
        let environment = ProcessInfo.processInfo.environment
        let loader = ConfigurationLoader(explicit: config, environment: environment)
        do {
            let worker = WorkerDaemon(
                broker: broker, bus: bus == "session" ? .session : .custom(bus),
                configuration: try loader.load(),
                loader: loader, environment: environment, logger: logger)
            var groupLogger = logger
            groupLogger.logLevel = .notice
            let group = ServiceGroup(
                configuration: .init(
                    services: [.init(service: worker, successTerminationBehavior: .gracefullyShutdownGroup)],
                    gracefulShutdownSignals: [.sigterm, .sigint], logger: groupLogger))
            try await group.run()
        } catch let error as ConfigurationError {
            logger.critical("\(error)")
            throw ExitCode(78)
        } catch {
            logger.critical("\(error)")
            throw ExitCode(69)
        }
    }
}
