import ArgumentParser
import DBus
import DictationService
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

@main
struct Dictationd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dictationd",
        abstract: "Offer voice dictation to every application of the session, over D-Bus.",
        discussion: """
            Usually nobody starts it by hand: the bus does, when a program first calls org.example.Dictation. \
            Ends with 0 when asked to (SIGTERM, SIGINT), with 69 when the bus cannot be reached or goes away, \
            with 78 when a configuration file is wrong.
            """,
        version: version)

    @Option(help: ArgumentHelp("The bus to serve: 'session', or an address.", valueName: "session|ADDRESS"))
    var bus = "session"

    @Option(help: "The configuration file to read in place of ~/.config/dictation/dictation.yaml.")
    var config: String?

    @Flag(help: "Log what is done, not only what goes wrong.")
    var verbose = false

    func validate() throws {
        if bus == "system" {
            throw ValidationError(
                "This version serves the session bus only; run it in the user's session, with --bus session.")
        }
    }

    func run() async throws {
        var logger = Logger(label: "dictationd") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = verbose ? .debug : .notice
        do {
            let environment = ProcessInfo.processInfo.environment
            let configuration = try ConfigurationLoader(explicit: config, environment: environment).load()
            let daemon = Daemon(
                bus: bus == "session" ? .session : .custom(bus), configuration: configuration,
                environment: environment, logger: logger)
            var groupLogger = logger
            groupLogger.logLevel = .notice
            let group = ServiceGroup(
                configuration: .init(
                    services: [.init(service: daemon, successTerminationBehavior: .gracefullyShutdownGroup)],
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

let version = "0.1.0"
