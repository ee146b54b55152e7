import ArgumentParser
import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation

/// The calls of a quiet client while another does what it can to delay them.
struct Attacks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Calls of one client while another attacks the service: at most twice as long as alone.",
        discussion: """
            The bus, and libdbus in the service, cost time that the service cannot avoid. So the same attack is measured
            against a program that answers each call at once.
            """)

    @Option(help: "Calls that are measured, without and with each attack.")
    var calls = 500

    @Argument(help: "Some attacks; all without any: \(Self.all.joined(separator: ", ")).")
    var attacks: [String] = []

    private static let all = [
        "linger", "descriptors", "list", "requests", "questions", "calls", "words", "path", "body", "cycles",
        "subscriptions",
    ]

    private static var script: String { repository.appending(path: "packaging/attacks.py").path }

    func validate() throws {
        for attack in attacks where !Self.all.contains(attack) {
            throw ValidationError("There is no attack \(attack).")
        }
    }

    func run() async throws {
        var table = Table(
            "GetSession of a client that dictates, \(calls) calls, ms", columns: "attack", "quiet median",
            "quiet p99", "attacked median", "attacked p99", "ratio of p99", "bus alone, quiet p99",
            "attacked p99", "bare program, quiet median", "quiet p99", "attacked median", "attacked p99",
            "descriptors before", "after")
        for attack in attacks.isEmpty ? Self.all : attacks {
            let asks = attack == "questions" || attack == "requests"
            let rig = try await Rig("engine: scripted\n", allowsEveryone: !asks)
            let microphone = try await rig.plugIn()
            if asks { try await rig.setPermission("grant") }
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            let before = try rig.usage().descriptors
            let quiet = try await measure(client)
            let quietBus = try await measureBus(client)
            let attacker = try await begin(attack, rig.bus.address)
            let attacked = try await measure(client)
            let attackedBus = try await measureBus(client)
            attacker.kill()
            let after = try await descriptors(of: rig, notMoreThan: before)
            let (quietBare, attackedBare) = try await measureBareProgram(attack)
            table.add(
                attack, quiet.median.written(2), quiet.percentile(99).written(2), attacked.median.written(2),
                attacked.percentile(99).written(2),
                (attacked.percentile(99) / quiet.percentile(99)).written(1),
                quietBus.percentile(99).written(2),
                attackedBus.percentile(99).written(2), quietBare.median.written(2),
                quietBare.percentile(99).written(2), attackedBare.median.written(2),
                attackedBare.percentile(99).written(2), "\(before)", "\(after)")
            withExtendedLifetime(microphone) {}
            await client.vanish()
            try await rig.end()
        }
        table.print()
    }

    private func begin(_ attack: String, _ address: String) async throws -> ChildProcess {
        let attacker = try ChildProcess(["/usr/bin/python3", Self.script, address, attack])
        _ = try await attacker.line(of: .output, within: .seconds(120)) { $0 == "ready" }
        return attacker
    }

    /// The same calls to a program that does nothing else.
    private func measureBareProgram(_ attack: String) async throws -> (quiet: Samples, attacked: Samples) {
        let bus = try await PrivateBus()
        let service = try ChildProcess([executable("reference-service"), bus.address])
        _ = try await service.line(of: .output) { $0 == "ready" }
        let connection = try await Connection(to: .custom(bus.address))
        func measure() async throws -> Samples {
            try await self.measure {
                _ = try await connection.call(
                    destination: DictationInterface.busName, path: DictationInterface.path,
                    interface: DictationInterface.name, member: "GetSession")
            }
        }
        let quiet = try await measure()
        let attacker = try await begin(attack, bus.address)
        let attacked = try await measure()
        attacker.kill()
        await connection.close()
        service.kill()
        return (quiet, attacked)
    }

    private func measure(_ client: TestClient) async throws -> Samples {
        try await measure { _ = try await client.dictation.getSession() }
    }

    /// Calls of the bus itself, which the service does not handle.
    private func measureBus(_ client: TestClient) async throws -> Samples {
        try await measure { _ = try await client.connection.busIdentifier() }
    }

    /// The service's descriptors when it has closed what an attacker has sent, or after five seconds if it keeps them.
    private func descriptors(of rig: Rig, notMoreThan before: Int) async throws -> Int {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(5)
        while try rig.usage().descriptors > before, clock.now < end {
            try await Task.sleep(for: .milliseconds(50))
        }
        return try rig.usage().descriptors
    }

    /// Milliseconds, with a call every ten, for at most a minute.
    private func measure(_ call: () async throws -> Void) async throws -> Samples {
        let clock = ContinuousClock()
        var times: [Double] = []
        let end = clock.now + .seconds(60)
        for _ in 0..<calls where clock.now < end {
            let began = clock.now
            try await call()
            times.append((clock.now - began) / .microseconds(1) / 1000)
            try await Task.sleep(for: .milliseconds(10))
        }
        return Samples(times)
    }
}
