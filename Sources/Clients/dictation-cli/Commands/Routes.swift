import ArgumentParser
import DictationClient
import Localization

struct Routes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the microphones, or choose one.", subcommands: [List.self, Select.self],
        defaultSubcommand: List.self, aliases: ["microphones"])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the microphones.")

        @OptionGroup var busOptions: BusOptions

        @Flag(help: "Write them as JSON.")
        var json = false

        func run() async throws {
            let routes = try await busOptions.connect().routes()
            if json { return try Output.standardOutput.line(JSON.array(routes.map(\.json)).text) }
            if routes.isEmpty { Output.standardError.writeNotice(translated("There is no microphone.")) }
            let width = routes.map { DisplayText.width(DisplayText.harmless($0.name)) }.max() ?? 0
            for route in routes { try Output.standardOutput.line(route.line(nameWidth: width)) }
        }
    }

    struct Select: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Choose the microphone to use from now on.",
            discussion: "While the chosen one is not connected, the system's default is used.")

        @OptionGroup var busOptions: BusOptions

        @Argument(help: "A name that “routes” lists.")
        var name: String?

        @Flag(name: .customLong("default"), help: "Follow the system's default.")
        var followsDefault = false

        func validate() throws {
            if (name == nil) != followsDefault {
                throw ValidationError("Give either the name of a microphone or --default.")
            }
        }

        func run() async throws {
            try await busOptions.connect().selectRoute(named: name)
            if let name {
                Output.confirm("The microphone is \(name) from now on.")
            } else {
                Output.confirm("The microphone is the system's default from now on.")
            }
        }
    }
}

extension Route {
    /// For people. A chosen one has an asterisk.
    func line(nameWidth: Int) -> String {
        var remarks: [String] = []
        if isDefault { remarks.append(translated("default")) }
        if isInUse { remarks.append(translated("in use")) }
        if isMuted { remarks.append(translated("muted")) }
        if hasNoVolume { remarks.append(translated("volume 0")) }
        if !isAvailable { remarks.append(translated("not there")) }
        let remark = remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))"
        return (isSelected ? "* " : "  ") + DisplayText.harmless(name).padded(to: nameWidth) + "  "
            + DisplayText.harmless(description) + remark
    }
}
