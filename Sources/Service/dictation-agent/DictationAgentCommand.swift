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
            Usually nobody starts it by hand: it starts and ends with the graphical session. It keeps nothing. \
            Ends with 0 when asked to (SIGTERM, SIGINT) and when the session ends, with 69 when the bus cannot be \
            reached or goes away.
            """,
        version: "0.1.0")

    @Option(
        help: ArgumentHelp("The bus of the service: 'system', or an address.", valueName: "system|ADDRESS"))
    var bus = "system"

    @Option(
        help: ArgumentHelp(
            "Ask the desktop for a shortcut to dictate: a tap starts and finishes, holding talks.",
            valueName: "key"))
    var shortcut: String?

    @Flag(help: "Log what is done, not only what goes wrong.")
    var verbose = false

    func validate() throws {
        if let shortcut, !DesktopAgent.isTrigger(shortcut) {
            throw ValidationError(
                "--shortcut takes modifiers (CTRL, ALT, SHIFT, NUM, LOGO) and a key, such as LOGO+ALT+space.")
        }
    }

    func run() async throws {
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
