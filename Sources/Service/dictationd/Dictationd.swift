import ArgumentParser
import DBus
import DictationBroker
import DictationConfiguration
import Foundation
import Logging
import ServiceLifecycle
import ServiceLog
import UnixSignals

@main
struct Dictationd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dictationd",
        abstract: "Offer voice dictation to every application, over D-Bus.",
        discussion: """
            The bus starts it when a program first calls org.example.Dictation. \
            On the session bus it serves the user it runs as. On the system bus it serves every user, and should run \
            as a user of its own, without privileges. Text and sound are handled by a dictation-worker(1) of each user. \
            Exits with 0 after SIGTERM or SIGINT, with 69 if the bus cannot be reached or is lost, \
            with 78 if a configuration file is invalid.
            """,
        version: version)

    @Option(
        help: ArgumentHelp(
            "The bus to serve: 'session', 'system', or an address.", valueName: "session|system|ADDRESS"))
    var bus = "session"

    @Flag(help: "Serve every user of the bus at that address, as on the system bus.")
    var everyone = false

    @Option(
        help: ArgumentHelp(
            "Exit after so many seconds without use; the next call starts the service again.",
            valueName: "seconds"))
    var exitOnIdle: Double?

    @Option(help: "The configuration file to read instead of ~/.config/dictation/dictation.yaml.")
    var config: String?

    @Flag(
        help: "Check the configuration files, print each error on a line, and exit; with 78 if there is one.")
    var check = false

    @Flag(help: "Also log normal events, not only errors.")
    var verbose = false

    func validate() throws {
        if let exitOnIdle, !(0.001...1_000_000).contains(exitOnIdle) {
            throw ValidationError("--exit-on-idle takes seconds, from 0.001 to 1000000.")
        }
    }

    private var address: BusAddress {
        switch bus {
        case "session": .session
        case "system": .system
        default: .custom(bus)
        }
    }

    private var scope: Daemon.Scope { everyone || bus == "system" ? .machine : .user }

    private var loader: ConfigurationLoader {
        ConfigurationLoader(
            explicit: config, isOfMachine: scope == .machine,
            environment: ProcessInfo.processInfo.environment)
    }

    func run() async throws {
        if check { return try printErrors() }
        // With a limit on the size of files, writing must fail and not end the process.
        signal(SIGXFSZ, SIG_IGN)
        var logger = Logger(label: "dictationd") { ServiceLogHandler.standardError(label: $0) }
        logger.logLevel = verbose ? .debug : .notice
        if getuid() == 0, scope == .machine {
            logger.warning("running as root, though nothing here needs privileges: use a user of its own")
        }
        do {
            let daemon = try Daemon(
                bus: address, scope: scope, timeout: exitOnIdle.map { .seconds($0) }, loader: loader,
                environment: ProcessInfo.processInfo.environment, logger: logger)
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

    private func printErrors() throws {
        let errors = loader.errors()
        for error in errors { print(LogText.safe("\(error)", atMost: LogText.messageBytes)) }
        if !errors.isEmpty { throw ExitCode(78) }
    }
}

let version = "0.1.0"
