import ArgumentParser
import DictationClient

/// Options for the bus of the service. By default the system bus if it is installed there, else the session bus.
struct BusOptions: ParsableArguments {
    @Flag(help: "Use the service of the session bus, even if there is one for the whole machine.")
    var session = false

    @Flag(help: "Use the service of the system bus, even if it is not installed there.")
    var system = false

    @Option(help: ArgumentHelp("Use the bus at this address.", valueName: "address"))
    var address: String?

    func validate() throws {
        if [session, system, address != nil].count(where: { $0 }) > 1 {
            throw ValidationError("Choose one of --session, --system and --address.")
        }
    }

    var bus: DictationClient.Bus {
        if let address { return .address(address) }
        return system ? .system : session ? .session : .automatic
    }

    func connect() async throws(DictationError) -> DictationClient {
        try await DictationClient(bus: bus)
    }
}
