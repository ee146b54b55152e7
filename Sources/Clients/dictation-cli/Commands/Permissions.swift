import ArgumentParser
import DictationClient
import Localization
import enum DictationCore.Interpreter

struct Permissions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show and change which applications may dictate.",
        discussion: """
            An application is named by the path of its program (/usr/bin/gedit), by kind and id \
            (flatpak:org.gnome.gedit, snap:firefox, app:org.gnome.gedit), or by a name that means one thing here: a \
            program on PATH, an application that is installed, or one about which there are decisions.
            """,
        subcommands: [List.self, Grant.self, Deny.self, Forget.self, Log.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the decisions.")

        @OptionGroup var busOptions: BusOptions

        @Flag(help: "Write it as JSON.")
        var json = false

        func run() async throws {
            let permissions = try await busOptions.connect().permissions()
            if json { return try Output.standardOutput.line(JSON.array(permissions.map(\.json)).text) }
            if permissions.isEmpty { Output.standardError.writeNotice(translated("There are no decisions.")) }
            for permission in permissions { try Output.standardOutput.line(permission.line) }
        }
    }

    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Allow an application to dictate.")

        @OptionGroup var busOptions: BusOptions
        @OptionGroup var target: PermissionTarget

        func run() async throws { try await target.set(.granted, busOptions.connect()) }
    }

    struct Deny: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forbid an application to dictate; the user is not asked.")

        @OptionGroup var busOptions: BusOptions
        @OptionGroup var target: PermissionTarget

        func run() async throws { try await target.set(.denied, busOptions.connect()) }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a decision: the user will be asked again.")

        @OptionGroup var busOptions: BusOptions

        @Argument(help: "The application.")
        var client: String

        func run() async throws {
            let connection = try await busOptions.connect()
            let name = ApplicationName(client)
            for application in try await name.decidedApplications(known: connection.permissions()) {
                try await connection.forgetPermissions(of: application)
                Output.confirm("\(application.line): forgotten. It is asked about again.")
            }
        }
    }

    struct Log: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the log of decisions, the latest first.")

        @OptionGroup var busOptions: BusOptions

        @Option(help: "The number of decisions, 1 to 1000.")
        var limit: UInt32 = 50

        @Flag(help: "Write it as JSON.")
        var json = false

        func validate() throws {
            guard (1...1000).contains(limit) else { throw ValidationError("--limit is from 1 to 1000.") }
        }

        func run() async throws {
            let decisions = try await busOptions.connect().permissionLog(limit: limit)
            if json { return try Output.standardOutput.line(JSON.array(decisions.map(\.json)).text) }
            for decision in decisions { try Output.standardOutput.line(decision.line) }
        }
    }
}

/// The resources of Grant and Deny.
struct PermissionTarget: ParsableArguments {
    @Argument(help: "The application.")
    var client: String

    @Argument(help: "“microphone”, “speech” or “typing”; the first two if none is given.")
    var resources: [String] = []

    func validate() throws {
        for word in resources where !Resource.known.contains(Resource(rawValue: word)) {
            throw ValidationError("Unknown resource “\(word)”. Use microphone, speech or typing.")
        }
    }

    func set(_ status: PermissionStatus, _ connection: DictationClient) async throws {
        let chosen = resources.isEmpty ? [.microphone, .speech] : resources.map(Resource.init)
        let application = try await ApplicationName(client).application(known: connection.permissions())
        for resource in chosen {
            try await connection.setPermission(status, for: resource, of: application)
        }
        let words = chosen.map(\.rawValue).joined(separator: " and ")
        Output.standardError.writeNotice("\(application.line): \(words) \(status.rawValue).")
        if application.kind == .executable, let language = Interpreter.language(ofProgramAt: application.id) {
            Output.standardError.writeNotice(
                translated("This counts for every \(language) program: they cannot be told apart."))
        }
    }
}
