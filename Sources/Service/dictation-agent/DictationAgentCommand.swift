import ArgumentParser
import DBus
import DictationAgent
import Foundation
import Logging
import ServiceLifecycle
import ServiceLog
import UnixSignals

@main
struct DictationAgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dictation-agent",
        abstract: "Lend this desktop session's microphone to the dictation service of the machine.",
        discussion: """
            It starts and ends with the graphical session. It stores nothing. \
            Exits with 0 after SIGTERM or SIGINT and when the session ends, with 69 if the bus cannot be \
            reached or is lost.
            """,
        version: "0.1.0")

    @Option(
        help: ArgumentHelp("The bus of the service: 'system', or an address.", valueName: "system|ADDRESS"))
    var bus = "system"

    @Option(
        help: ArgumentHelp(
            "Ask the desktop for a shortcut to dictate: tap to start and finish, or hold to talk.",
            valueName: "key"))
    var shortcut: String?

    @Flag(help: "Also log normal events, not only errors.")
    var verbose = false

    func validate() throws {
        if let shortcut, !DesktopAgent.isTrigger(shortcut) {
            throw ValidationError(
                "--shortcut takes modifiers (CTRL, ALT, SHIFT, NUM, LOGO) and a key, such as LOGO+ALT+space.")
        }
    }

    func run() async throws {
        // With a limit on the size of files, writing must fail and not end the process.
        signal(SIGXFSZ, SIG_IGN)
        var logger = Logger(label: "dictation-agent") { ServiceLogHandler.standardError(label: $0) }
        logger.logLevel = verbose ? .debug : .notice
        do {
            let agent = DesktopAgent(
                bus: bus == "system" ? .system : .custom(bus),
                environment: ProcessInfo.processInfo.environment, shortcut: shortcut, logger: logger)
            var groupLogger = logger
            groupLogger.logLevel = .notice
            let group = ServiceGroup(
                configuration: .init(
                    services: [.init(service: agent, successTerminationBehavior: .gracefullyShutdownGroup)],
                    gracefulShutdownSignals: [.sigterm, .sigint], logger: groupLogger))
            try await group.run()
        } catch {
            logger.critical("\(error)")
            throw ExitCode(69)
        }
    }
}
