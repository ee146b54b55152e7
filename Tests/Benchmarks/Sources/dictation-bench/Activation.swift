import ArgumentParser
import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop

/// The time of the first call, which starts the service.
struct Activation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "From a call to its answer where the bus has to start the service first.")

    @Option(help: "Starts of each kind.")
    var rounds = 100

    func run() async throws {
        let audio = try await PrivatePipeWire()
        var table = Table(
            "The first answer, \(rounds) starts", columns: "service", "median ms", "p99 ms",
            "running, median ms")
        for (name, options, call) in [
            ("of one user, the broker's answer", "", Call.introspect),
            ("of one user, the worker's answer", "", .getSession),
            ("of all users, the broker's answer", "--everyone ", .introspect),
        ] {
            let (cold, warm) = try await answers(to: call, of: options, audio)
            table.add(
                name, cold.median.written(1), cold.percentile(99).written(1), warm.median.written(2))
        }
        table.print()
        try await audio.kill()
    }

    private enum Call {
        /// The broker answers, without the caller's identity.
        case introspect
        case getSession
    }

    /// Milliseconds until the reply.
    private func answers(
        to call: Call, of options: String, _ audio: PrivatePipeWire
    ) async throws -> (cold: Samples, warm: Samples) {
        let folder = try TemporaryDirectory()
        try folder.write(
            """
            [D-BUS Service]
            Name=\(DictationInterface.busName)
            Exec=\(executable("dictationd")) \(options)--exit-on-idle 0.05
            """, to: "org.example.Dictation.service")
        let bus = try await PrivateBus(
            configuration: "<servicedir>\(folder.path)</servicedir>",
            environment: audio.environment.merging([
                "STATE_DIRECTORY": folder.path, "RUNTIME_DIRECTORY": folder.path,
            ]) { $1 })
        let caller = try await Connection(to: .custom(bus.address))
        let dictation = DictationProxy(connection: caller, destination: DictationInterface.busName)
        let clock = ContinuousClock()
        func answer() async throws -> Double {
            let began = clock.now
            switch call {
            case .introspect:
                _ = try await caller.call(
                    destination: DictationInterface.busName, path: DictationInterface.path,
                    interface: "org.freedesktop.DBus.Introspectable", member: "Introspect")
            case .getSession: _ = try await dictation.getSession()
            }
            return (clock.now - began) / .microseconds(1) / 1000
        }
        var cold: [Double] = []
        var warm: [Double] = []
        for _ in 0..<rounds {
            cold.append(try await answer())
            warm.append(try await answer())
            try await eventually("it has left") {
                try await caller.owner(of: DictationInterface.busName) == nil
            }
        }
        await caller.close()
        try await bus.kill()
        return (Samples(cold), Samples(warm))
    }
}
