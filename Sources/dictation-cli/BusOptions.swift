import ArgumentParser
import DictationClient

/// Which bus to find the service on.
struct BusOptions: ParsableArguments {
    @Flag(help: "Use the session bus. This is the default.")
    var session = false

    @Flag(help: "Use the system bus.")
    var system = false

    @Option(help: ArgumentHelp("Use the bus at this address.", valueName: "address"))
    var address: String?

    func validate() throws {
        if [session, system, address != nil].count(where: { $0 }) > 1 {
            throw ValidationError("Choose one of --session, --system and --address.")
        }
    }

    var bus: DictationClient.Bus {
        if let address { .address(address) } else { system ? .system : .session }
    }

    func connect() async throws(DictationError) -> DictationClient {
        try await DictationClient(bus: bus)
    }
}
